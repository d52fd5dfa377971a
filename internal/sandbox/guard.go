package sandbox

// GuardArg is the private first argument that makes a program a guard; see Main.
const GuardArg = "__clade-guard"
