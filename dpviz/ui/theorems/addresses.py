"""Which page shows a claim or a theorem at work, and what its address sets there."""

from __future__ import annotations

from urllib.parse import quote

from dpviz.sources.cards import Card
from dpviz.ui.shell.shell import HOME, PAGES

_EACH = "deltaeach=1e-05"
_PAIR = f"noise_sums?{_EACH}&noises"
_SECURE = f"noise_sums?section=Secure aggregation&{_EACH}&epsc=1&clients=100"
_MIXED = f"noise_sums?section=Alone or aggregated&{_EACH}&calib=Analytic&epsc"
_COMPARED = "composition?eps1=0.5&deltak=0.1&kmax"
_SEVERAL = "composition?repeat=Several, once each&list1"
_POST = f"{_SEVERAL}={', '.join(f'{n / 20:g}' for n in range(1, 11))}&deltak"
_FILTER = "filters?geps=0.2&gdelta=2e-30&orbasic=true&epsfrom=0.002&epsto=0.198"
_RUNS = "subsampling?n=100&ebud=0.2&dbud={}&erun=0.001&span=9&m={}"
_HALF, _SIZES = _RUNS.format("2e-30", "50"), _RUNS.format("2e-30", "60, 70, 80")
_NOISE = "theorems?check=Noise per query&neps=1&ndelta=1e-06"
_TENTH = "privacy_loss?mech1=Laplace&eps1=0.1&times=10"
_LAW = "times=1&more=Stated law"

# Every address, as it reads before its values are quoted, with the claims that it shows.
_CLAIMS = {
    f"{_COMPARED}=3": "sherpa_advanced_3",
    f"{_COMPARED}=300": "sherpa_crossing",
    f"{_COMPARED}=350": "sherpa_basic sherpa_advanced_350",
    "composition?eps1=0.1&deltak=1e-06&kmax=200": "sherpa_small_epsilon",
    "composition?eps1=0.5&deltak=0&kmax=3": "sherpa_delta_zero",
    f"{_SEVERAL}={', '.join(f'{n / 100:g}' for n in range(1, 51))}&deltak=1e-06": "sherpa_same_mechanism",
    "adversary?seen=3": "sherpa_neighbours sherpa_pair sherpa_indistinguishable sherpa_membership",
    "adversary?seen=3000": "sherpa_spent sherpa_rounds",
    "filters?fsource=Typed here": "sherpa_observe",
    _FILTER: "sherpa_filter_promise",
    f"{_FILTER}&epsq=0.002": "sherpa_rogers",
    f"{_FILTER}&fview=Against a number fixed in advance": "sherpa_similar",
    f"{_FILTER}&epsq=0.002&faxes=linear": "sherpa_plot",
    f"{_FILTER}&epsq=0.1": "sherpa_faster",
    "filters?geps=0.2&gdelta=2e-10&orbasic=true&deltaq=2e-20&epsq=0.001": "sherpa_both",
    _HALF: "sampling_formula sampling_cancels sampling_incredible",
    _RUNS.format("2e-30", "99"): "sampling_whole",
    f"{_SIZES}&samplemore=Which kind of sample": "sampling_title",
    f"{_RUNS.format('2e-10', '50')}&noise=Gaussian&drun=2e-20": "sampling_filter sampling_pairs",
    _SIZES: "sampling_great",
    f"{_HALF}&samplemore=ε′ of one run": "sampling_below_one",
    f"noise_sums?noises=8&{_EACH}": "sampling_gaussian",
    f"{_HALF}&samplemore=What it costs": "sampling_noise",
    f"{_HALF}&samplemore=The notebook's slips": "sampling_words",
    f"{_PAIR}=0.5, 0.75": "proofs_row_1 proofs_pure",
    f"{_PAIR}=1, 0.5": "proofs_row_2",
    f"{_PAIR}=2, 1": "proofs_row_3 proofs_margin",
    f"{_PAIR}=2, 0.5": "proofs_row_4",
    f"noise_sums?calib=Analytic&{_EACH}&noises=0.5, 0.75": "proofs_harmonic",
    _SECURE: "proofs_aggregation proofs_notation proofs_scale",
    f"{_SECURE}&colluding=50": "proofs_honest",
    f"{_MIXED}=1&clients=100&p=0.5": "proofs_larger proofs_same_set",
    f"{_MIXED}=1&clients=1&p=0.5": "proofs_exponentials proofs_condition",
    f"{_MIXED}=3&clients=2&p=0.5": "proofs_product",
    f"{_POST}=1e-06&kmax=60": "steinke_basic steinke_advanced",
    f"{_POST}=0&kmax=60": "steinke_optimal",
    _TENTH: "steinke_variance steinke_notation",
    f"{_TENTH}&more=Rare losses": "steinke_rare",
    "privacy_loss?mech1=Gaussian&sigma1=1&times=1&deltak=1e-06": "steinke_tail",
    "composition?eps1=2&deltak=1e-06&kmax=100": "steinke_half_square",
    "composition?repeat=Black box&eps1=0.01&delta1=0.01&deltak=0.2&kmax=10": "steinke_footnote_1",
    _NOISE: "steinke_footnote_2",
    f"{_NOISE}&nk=1000": "steinke_scale lecture_laplace_basic lecture_gaussian_basic lecture_laplace_advanced "
    "lecture_gaussian_advanced lecture_better",
    "composition?eps1=0.001&kmax=500&deltak=1e-06&goal=0.1": "lecture_basic lecture_formula lecture_tenth "
    "lecture_much_less lecture_final",
    "composition?eps1=0.1&deltak=1e-06": "lecture_half",
    "privacy_loss?mech1=Gaussian&sigma1=6.786&times=1&deltak=1e-05": "lecture_probability",
    f"privacy_loss?mech1=Gaussian&sigma1=10&{_LAW}": "lecture_gaussian_loss",
    f"noise_sums?calib=Lecture 11&{_EACH}&noises=1, 1": "lecture_sigma",
    f"privacy_loss?mech1=Randomized response&eps1=0.1&{_LAW}": "lecture_response lecture_response_mean",
    f"privacy_loss?mech1=Name and shame&delta1=0.01&{_LAW}": "lecture_shame",
    "privacy_loss?mech1=Laplace&eps1=1&more=Simulation lemma": "lecture_simulation",
    "privacy_loss?mech1=Laplace&more=Simulation lemma": "lecture_indices",
}
CLAIMS = {key: quote(address, safe="?&=") for address, keys in _CLAIMS.items() for key in keys.split()}
_TITLES = {page.name: page.title for page in PAGES} | {".": HOME.title, "subsampling": "Subsampling"}


def uses(card: Card) -> tuple[tuple[str, str], ...]:
    """Return where a theorem is at work: what is there, and its address, relative to the home page."""
    match card.kind:
        case "Composition":
            exact = ("privacy_loss", "adversary") if card.key == "pld" else ()
            places = (".", f"composition?theorems={card.label}&eps1=0.1&kmax=100&deltak=1e-06", *exact)
        case "Filter":
            sampled = () if card.key == "zcdp" else ("subsampling",)
            places = ("filters?geps=1&gdelta=1e-06&epsq=0.01&orbasic=false", *sampled)
        case "Conversion":
            places = (".", "filters")
        case "Calibration":
            places = (f"noise_sums?calib={card.label}", ".")
        case _:
            shuffled = card.key.startswith("shuffling")
            places = ("noise_sums?section=Shuffling&local=1&reports=10000" if shuffled else "subsampling",)
    return tuple((_TITLES[place.partition("?")[0]], quote(place, safe="?&=")) for place in places)
