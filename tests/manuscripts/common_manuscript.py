"""One manuscript by an invented author, to be written in each format."""

ENTRIES = [
    ("smith2020", "Smith, J., Doe, A., & Lee, K. (2020). Otters in the kelp. Journal of Ecology, 12(3), 45–67."),
    ("jones2019", "Jones, B. (2019). Urchins of the north. Marine Biology, 3(1), 1–9."),
    ("brown2018", "Brown, T. (2018). Grazing and its limits. Ecology Letters, 5(1), 10–20."),
    ("nobody2001", "Nobody, N. (2001). Never cited by anyone. Nature, 4(2), 1–2."),
]
TITLES = ["Otters in the kelp", "Urchins of the north", "Grazing and its limits", "Never cited by anyone"]
HEALTHY, GRAZING = "Sea otters keep kelp forests healthy", "Urchins graze on the kelp"
QUOTED = "a cascade that nobody had expected to see"
HEADING = "Otters and kelp"
