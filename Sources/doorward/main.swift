import DoorwardConsole

DoorwardMain.run(modules: builtInModules)
