package language

// Functions of our models that run before and after the entry.
const (
	// MakeArguments is called before a main with parameters, and stores them in the variables of Arguments.
	// CountArguments is called instead if main uses only their number.
	MakeArguments  = "__unitproof_make_arguments"
	CountArguments = "__unitproof_count_arguments"
	// AtEnd is called when the entry has returned or exit was called: it calls the functions registered by atexit.
	AtEnd = "__unitproof_at_end"
	// AtExit is the function of the C library that registers functions to be called at the end.
	AtExit = "atexit"
)

// A fuzz target, and functions of our models that run before it.
const (
	// FuzzTarget is the function that libFuzzer calls with each input. FuzzInitialize, if defined, runs once before it.
	FuzzTarget     = "LLVMFuzzerTestOneInput"
	FuzzInitialize = "LLVMFuzzerInitialize"
	// StartFuzzing calls FuzzInitialize. MakeInput creates the input of FuzzTarget in the variables of Input.
	StartFuzzing = "libFuzzer"
	MakeInput    = "__unitproof_make_input"
	// TakeInput is called instead of MakeInput: it creates the input in the constants GivenInput and GivenSize.
	TakeInput  = "__unitproof_take_input"
	GivenInput = "__unitproof_given_input"
	GivenSize  = "__unitproof_given_size"
	// InputSizeChoice is the function whose result is the size of the input created by MakeInput.
	InputSizeChoice = "nd_input_size"
	// MaxLen is the constant with the maximum size of an input.
	MaxLen = "__unitproof_max_len"
	// InputSize is reported like a loop if short inputs are tried first: longer inputs were excluded.
	InputSize = "size of the input"
)

// Input are the variables with the arguments of FuzzTarget, in order.
var Input = []string{"__unitproof_data", "__unitproof_size"}

// MaxArguments and MaxEnvironment are the maximum numbers of strings in the second and third parameter of main.
const (
	MaxArguments   = 8
	MaxEnvironment = 4
)

// Arguments are the variables with the arguments of main, in order.
var Arguments = []string{"__unitproof_argc", "__unitproof_argv", "__unitproof_environment"}
