import DoorwardConsole

DoorwardMain.run()
