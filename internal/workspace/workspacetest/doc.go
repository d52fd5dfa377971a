// Package workspacetest holds every workspace.Provider to the contract, over a
// real ledger and with real commands.
package workspacetest
