package language

// What our models do before and after the entry.
const (
	// MakeArguments is called before a main that has parameters, and leaves them in the variables of Arguments;
	// CountArguments before one that uses nothing but their number.
	MakeArguments  = "__unitproof_make_arguments"
	CountArguments = "__unitproof_count_arguments"
	// AtEnd is called when the entry has returned or exit was called: it calls what atexit was given.
	AtEnd = "__unitproof_at_end"
)

// A fuzz target, and what our models do before it.
const (
	// FuzzTarget is the function that libFuzzer calls with each input. FuzzInitialize, if defined, runs once before it.
	FuzzTarget     = "LLVMFuzzerTestOneInput"
	FuzzInitialize = "LLVMFuzzerInitialize"
	// StartFuzzing calls FuzzInitialize. MakeInput makes the input of FuzzTarget, and leaves it in the variables of Input.
	StartFuzzing = "libFuzzer"
	MakeInput    = "__unitproof_make_input"
	// TakeInput makes the input that the constants GivenInput and GivenSize hold, in the place of MakeInput.
	TakeInput  = "__unitproof_take_input"
	GivenInput = "__unitproof_given_input"
	GivenSize  = "__unitproof_given_size"
	// InputSizeChoice is the function whose result is the size of the input that MakeInput makes.
	InputSizeChoice = "nd_input_size"
	// MaxLen is the constant with the greatest size of an input.
	MaxLen = "__unitproof_max_len"
	// InputSize stands for a loop where short inputs are tried first: inputs that are longer were left out.
	InputSize = "size of the input"
)

// Input are the variables with the arguments of FuzzTarget, in their order.
var Input = []string{"__unitproof_data", "__unitproof_size"}

// MaxArguments and MaxEnvironment are how many strings the models give to main at most, in its second and third
// parameter.
const (
	MaxArguments   = 8
	MaxEnvironment = 4
)

// Arguments are the variables with the arguments of main, in their order.
var Arguments = []string{"__unitproof_argc", "__unitproof_argv", "__unitproof_environment"}
