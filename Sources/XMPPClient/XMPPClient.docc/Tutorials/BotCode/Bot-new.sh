.build/release/doorward new bot weather
cd weather
swift test
