mkdir -p secrets && chmod 700 secrets
touch secrets/weather && chmod 600 secrets/weather
editor secrets/weather      # the password, in one line
swift run weather check
swift run weather run       # until Ctrl-C
