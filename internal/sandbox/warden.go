package sandbox

// A warden is this very program as the first process inside a sandbox that
// another program builds: it is executed with WardenArg, starts one command,
// passes signals on, reaps, tells how the command ended, and leaves nothing
// alive. It talks to the engine over a socket, through which it also gets the
// command's streams, so that whatever built the sandbox is not in their way, and
// the command's environment, so that nothing else ever shows it. When the engine
// is gone, so is the warden, and with it everything.
//
// It must be PID 1 of its own PID namespace, and hides its memory from the
// command.

// WardenArg is the private first argument that makes a program a warden; see
// Main. The second, if any, is the path of the socket that it calls; else it
// has the socket as descriptor WardenFD.
const WardenArg = "__clade-warden"

// WardenFD is where a warden finds its socket.
const WardenFD = 3
