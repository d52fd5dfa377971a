package strategy

var (
	CommandsOf = commandsOf
	Front      = front
)
