import DoorwardConsole

DoorwardMain.run(modules: [WeatherModule.self])
