swift run weather status    # whether it is online, and what its module does
swift run weather pending   # who asks to be a contact, where the rules do not say
swift run weather reload    # after a change of bot.yaml
