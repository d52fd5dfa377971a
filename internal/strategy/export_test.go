package strategy

var CommandsOf = commandsOf
