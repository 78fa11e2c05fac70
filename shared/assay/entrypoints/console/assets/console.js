// Progressive enhancements. Every page reads and every form works without this script.
