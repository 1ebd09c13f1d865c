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

// MaxArguments and MaxEnvironment are how many strings the models give to main at most, in its second and third
// parameter.
const (
	MaxArguments   = 8
	MaxEnvironment = 4
)

// Arguments are the variables with the arguments of main, in their order.
var Arguments = [3]string{"__unitproof_argc", "__unitproof_argv", "__unitproof_environment"}
