"""Why the numbers on sums of noise hold, and what the note leaves open."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from dpviz.amplification import SHUFFLE_BOUNDS
from dpviz.mechanisms import CALIBRATIONS
from dpviz.rounding import shown_up
from dpviz.ui.noise_sums import answer as answers
from dpviz.ui.shell import components, reading
from dpviz.ui.shell.kept import static


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement that the page rests on.

    Parameters
    ----------
    label, statement, assumes, source : str
        Name, LaTeX, what it needs, where it stands.
    """

    label: str
    statement: str
    assumes: str
    source: str


NOTE = 'Note "DP-ML Proofs" (2019)'
STATEMENTS = (
    Statement(
        "The harmonic rule",
        r"\frac{1}{\varepsilon_3^2} = \sum_i \frac{1}{\varepsilon_i^2}, \qquad \text{exactly: }"
        r"\frac{1}{\mu_3^2} = \sum_i \frac{1}{\mu_i^2}\ \text{ with }\ \mu_i = \frac{1}{\sigma_i}",
        "one δ, one sensitivity and one calibration for all noises; independent noises, all of them secret; for ε, "
        "a σ that is proportional to 1/ε, and a rule's value that its theorem covers",
        f"{NOTE}, Thm 1.1, with what its statement omits",
    ),
    Statement(
        "The exact profile of Gaussian noise",
        r"\delta(\varepsilon) = \Phi\Bigl(\frac{1}{2\sigma} - \varepsilon\sigma\Bigr)"
        r" - e^{\varepsilon}\,\Phi\Bigl(-\frac{1}{2\sigma} - \varepsilon\sigma\Bigr),"
        r"\qquad \sigma^2 = \sum_i \sigma_i^2",
        "ideal noise N(0, σ²) over the reals; sensitivity 1 in L2; any neighbour relation",
        "Balle & Wang (2018), Thm 8",
    ),
    Statement(
        "Secure aggregation",
        r"\sigma_S^2 = h\,\sigma^2, \qquad h = n - \text{dropped} - \text{colluding},"
        r"\qquad \varepsilon_S \approx \frac{\varepsilon}{\sqrt{h}}",
        "ideal noise over the reals, where real protocols add integers modulo a number, so that clients add discrete "
        "Gaussian noise, whose sum is not exactly one; one client's answer changes by at most 1",
        f"{NOTE}, Thm 2.1, corrected: σₛ² for σₛ, and n - dropped - colluding noises for n",
    ),
    Statement(
        "The mixture, label known",
        r"p\,\delta_{\sigma}(\varepsilon) + (1-p)\,\delta_{\sigma\sqrt n}(\varepsilon) = \delta",
        "the label does not depend on the data; the aggregate has variance nσ², not σ²√n",
        f"{NOTE}, section 3, its scale corrected; Balle & Wang (2018), Thm 8",
    ),
    Statement(
        "The mixture, label hidden",
        r"\delta(\varepsilon) = \int \bigl(f(x) - e^{\varepsilon} f(x-1)\bigr)_+\,dx, \qquad "
        r"f = p\,\mathcal N(0, \sigma^2) + (1-p)\,\mathcal N(g, n\sigma^2)",
        "nobody learns the label, by any way; centres g apart (with g not 0, the worst shift is searched for "
        "numerically); at most the label known, by joint convexity",
        "numerical hockey-stick divergence over every sign change",
    ),
)


@static
def why() -> None:
    """Draw the statement, assumptions and source of everything on the page in an expander."""
    with st.expander("Why: the statements, what they assume and where they stand", expanded=reading.proofs()):
        for record in (*STATEMENTS, *CALIBRATIONS, *SHUFFLE_BOUNDS):
            components.statement(record, before="Calibration: " if record in CALIBRATIONS else "")
        row = answers.pair(1.0, 0.5, 1e-5, "classical").iloc[0]
        st.markdown(
            f"Worked: classical noises for ε = 1 and 0.5 at δ = 10⁻⁵ have σ = {row.sigma_1:.5g} and {row.sigma_2:.5g}; "
            f"σ₃ = √({row.sigma_1:.5g}² + {row.sigma_2:.5g}²) = {row.sigma_sum:.5g}. The rule says {row.rule:.6g}; the "
            f"profile of N(0, σ₃²) gives ε₃ = {shown_up(row.epsilon, 6)}."
        )


@static
def unanswered() -> None:
    """Say what the note's next steps come to."""
    st.markdown("Of the note's three next steps, **two are answered here and one is open**.")
    st.markdown(
        "- **A noise bound for KRUM: open.** The note asks how much noise KRUM, which picks the client update closest "
        "to its neighbours, bears before malicious clients win. dpviz knows no proof of a bound, so it shows none.\n"
        "- **Encode, shuffle, analyze: answered in part.** The tab *Shuffling* says what mixing the reports of all "
        "clients buys. A shuffler that also sorts reports into groups by their metadata tells the group of each "
        "report: no bound here covers that.\n"
        "- **A tighter bound for the mixture: answered.** The tab *Alone or aggregated* computes it exactly with the "
        "label known, and numerically with the label hidden."
    )
