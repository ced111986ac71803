"""The one table of the fields of a release: files, schema, cells, inputs, reports and open questions follow from it."""

from __future__ import annotations

from dataclasses import dataclass

from dpviz.mechanisms import BASE_MECHANISMS, CALIBRATIONS, POSITIVE_EPSILON
from dpviz.mechanisms.kary import K
from dpviz.mechanisms.subsampled import RELATIONS as SCHEMES
from dpviz.parameters import (
    AVERAGED,
    CANDIDATES,
    COUNT,
    DELTA,
    KEYS,
    RATE,
    ROWS,
    SCALE,
    SENSITIVITY,
    SIGMA,
    THRESHOLD,
    TYPICAL,
    WEIGHT,
    Parameter,
)
from dpviz.plan.cadence import KEYS as CADENCE_KEYS
from dpviz.plan.kinds import BARS, BOUND
from dpviz.plan.kinds import KEYS as KIND_KEYS

VERSION = 7  # of the JSON; a new field is of a new version, and stands last
NUMBER, DATE, TEXT, WORD, UNTIL = TYPES = ("number", "date", "text", "word", "yes, no or a date")
CURVE, TRAINING = WRITTEN = ("curve", "training")  # texts that say all of a mechanism


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a release: how files hold it, whether it touches privacy, and what people are told of it.

    Parameters
    ----------
    name : str
        In files, and in `dpviz.plan.Release` unless it is a parameter of the mechanism.
    type : str
        One of `TYPES`; a word is one of a registry's keys.
    since : int
        The first version of the JSON that has it.
    of_mechanism : bool
        Whether it is a parameter of the mechanism, or of its sample.
    neutral : bool
        Whether no edit of it alone changes any privacy loss, whatever result it was chosen after. Where that is not
        stated, an edit after a release was done asks whether it was decided before the first result.
    interval : Parameter, optional
        Which numbers it may be; those of a mechanism may allow fewer.
    choices : tuple of str
        The keys that a word may be.
    about, further : str
        What it holds, for the schema; and what the documentation says after that.
    label, help : str
        Of its column and its input; "" where it has none of its own.
    reported : str
        How a report tells it beside the mechanism's parameters, such as "part {}"; "" where it stands elsewhere.

    Examples
    --------
    >>> [field.name for field in FIELDS if field.since == 4]
    ['kind', 'lower', 'upper', 'k', 'curve']
    """

    name: str
    type: str
    since: int = 1
    of_mechanism: bool = False
    neutral: bool = False
    interval: Parameter | None = None
    choices: tuple[str, ...] = ()
    about: str = ""
    further: str = ""
    label: str = ""
    help: str = ""
    reported: str = ""

    @property
    def described(self) -> str:
        """What it holds, in words: its own, else those of its quantity."""
        return self.about or (self.interval.words if self.interval else "")


# In the order of files.
FIELDS = (
    Field("name", TEXT, neutral=True, further="what the release is called: 1 to 80 characters",
        label="Release", help="What it is called in tables and reports."),
    Field("mechanism", WORD, choices=tuple(each.key for each in BASE_MECHANISMS), further="its key, see below",
        label="Mechanism", help="What protects it. Noise in whole numbers, as of the 2020 Census, OpenDP or Tumult, is "
        "Discrete Laplace or Discrete Gaussian. Of what is released many times, Gaussian noise mostly costs less than "
        "Laplace noise of the same error; of what is released once or twice, more."),
    Field("epsilon", NUMBER, of_mechanism=True, interval=POSITIVE_EPSILON),
    Field("delta", NUMBER, of_mechanism=True, interval=DELTA),
    Field("scale", NUMBER, of_mechanism=True, interval=SCALE),
    Field("sigma", NUMBER, of_mechanism=True, interval=SIGMA),
    Field("sensitivity", NUMBER, of_mechanism=True, interval=SENSITIVITY, label="Sensitivity",
        help="By how much one unit of privacy can change the answer: L1 for Laplace, L2 for Gaussian noise. Left "
        "blank, it follows from what the release is, what values are clipped to and, of a mean, how many people are in "
        "the data; it is shown after “=”."),
    Field("calibration", WORD, of_mechanism=True, choices=tuple(each.key for each in CALIBRATIONS),
        further="of Gaussian noise given by a pair", label="Calibration", help="How σ follows from ε and δ."),
    Field("scheme", WORD, of_mechanism=True, choices=tuple(SCHEMES), further="of a random sample",
        label="Sampling", help="How records are drawn into a secret random sample: "
        "poisson (chance decides of each by itself) or without_replacement (a fixed number is drawn)."),
    Field("rate", NUMBER, of_mechanism=True, interval=RATE, further=f", in {RATE.interval}",
        label="Sampling rate", help="Share of all records that is drawn, in [0, 1]; only with a sampling scheme."),
    Field("count", NUMBER, interval=COUNT, about="uses, on every day on which it falls",
        further=f", in {COUNT.interval}; 1 where it is empty",
        label="Times",
        help="How many such numbers are released each time: 40 for one of each of 40 districts, but 1 for a histogram "
        "of 40 bars."),
    Field("part", TEXT, about="the disjoint part of the data that it reads", further="; empty where it reads all data",
        label="Part", help="Releases in different parts are about different people.", reported="part {}"),
    Field("start", DATE, since=2, further="its first day, such as 2026-04-01",
        label="Start", help="First day, such as 2026-04-01."),
    Field("cadence", WORD, since=2, choices=CADENCE_KEYS, further="how often it recurs",
        label="How often", help="How often it recurs, between start and end."),
    Field("end", DATE, since=2, further="the last day on which it may fall; needed where it recurs",
        label="End", help="Last possible day; a release that recurs needs one."),
    Field("weight", NUMBER, since=2, neutral=True, interval=WEIGHT,
        further=f", in {WEIGHT.interval}; 1 where it is empty",
        label="Weight", help="How much its error matters beside the others; 1 where empty.",
        reported="weighs {} in a split"),
    Field("typical", NUMBER, since=2, neutral=True, interval=TYPICAL, further=f", in {TYPICAL.interval}",
        label="Typical value", help="Size of a typical true value, for relative errors and ranges."),
    Field("answer_unit", TEXT, since=3, neutral=True, about="what the answer is counted in",
        further=", such as persons or euros", label="Unit of answer",
        help="What the answer counts, such as persons: errors are compared within one unit only."),
    Field("done", UNTIL, since=2, neutral=True, about="published already, or until which day",
        further=": yes, no, or the last day that is published (in JSON `true`, `false` or the day)", label="Done until",
        help="Published up to this day, such as 2026-04-01; yes where all of it is."),
    # Where the sensitivity was left blank, it follows from these, and from the last three: then the mechanism changes
    # with them.
    Field("kind", WORD, since=4, neutral=True, choices=KIND_KEYS, about="what is published",
        label="What it is", help="A count, a sum, a mean, …: from it follows by how much one unit changes it. A "
        "histogram is one row, however many bars it has."),
    Field("lower", NUMBER, since=4, neutral=True, interval=BOUND, further=", the least value that one unit's can be"),
    Field("upper", NUMBER, since=4, neutral=True, interval=BOUND, further=", the largest; both ends or neither"),
    Field("k", NUMBER, since=4, of_mechanism=True, interval=K),
    Field(CURVE, TEXT, since=4, of_mechanism=True, about="what a declared release declares",
        further=", as text that `dpviz.Declared.from_text` reads"),
    Field("threshold", NUMBER, since=6, of_mechanism=True, interval=THRESHOLD,
        about="of counts by keys that are private: what a noisy count must exceed for its key to be published",
        further="; with noise alone, which each key gets", label="Threshold",
        help="Where the keys themselves are private, such as search words: only those whose noisy count exceeds this "
        "are published. The chance that a key of one unit alone is published counts as δ."),
    Field("keys", NUMBER, since=6, of_mechanism=True, interval=KEYS,
        further=f", in {KEYS.interval}; 1 where it is empty",
        label="Keys of one unit", help="With a threshold: the most keys that one unit touches; 1 where empty."),
    Field("candidates", NUMBER, since=6, neutral=True, interval=CANDIDATES,
        about="of a selection: how many it picks from",
        further=f", in {CANDIDATES.interval}", label="Candidates",
        help="Of a selection: from how many one is picked, and so how far the pick may fall short of the best.",
        reported="{} candidates"),
    Field(TRAINING, TEXT, since=6, of_mechanism=True, about="how a trained model is trained: records, batch size, or "
        "the sampling rate in place of one of them or both, noise multiplier, epochs or steps, scheme, and where they "
        "matter clipping norm, largest batch and bands",
        further=", as text that `dpviz.TrainedModel.from_text` reads"),
    Field("rows", NUMBER, since=7, neutral=True, interval=ROWS,
        further=f", in {ROWS.interval}; 1 where it is empty", label="Rows of one unit",
        help="At most so many rows of one unit are read for one answer; what goes beyond is left out before. Where no "
        "sensitivity is typed, it follows from this.",
        reported="rows of one unit: at most {}"),
    Field("bars", WORD, since=7, neutral=True, choices=BARS,
        about="in which bars of a histogram the rows of one unit lie", further="; empty where nobody has said",
        label="Bars of its rows",
        help="Of a histogram: “different” where no two rows of one unit fall into one bar; then less Gaussian noise is "
        "enough. “any” where all of them may fall into the same bar.",
        reported="in {} bars"),
    Field("averaged", NUMBER, since=7, neutral=True, interval=AVERAGED,
        further=f", in {AVERAGED.interval}; all people in the data where it is empty",
        label="Values or answers",
        help="Of a mean: how many values are averaged each time, at the fewest. Of a survey: how many answer. All "
        "people in the data where it is empty.",
        reported="of {} or more"),
)  # fmt: skip


def named(kind: str) -> tuple[str, ...]:
    """Return the names of the fields of one type.

    Examples
    --------
    >>> named(DATE)
    ('start', 'end')
    """
    return tuple(field.name for field in FIELDS if field.type == kind)


def of_version(version: int) -> tuple[str, ...]:
    """Return the names of the fields that files of a version of the JSON may have.

    Examples
    --------
    >>> set(of_version(3)) - set(of_version(2))
    {'answer_unit'}
    """
    return tuple(field.name for field in FIELDS if field.since <= version)


NUMBERS, DATES, TEXTS = named(NUMBER), named(DATE), named(TEXT)
COLUMNS, FIRST_COLUMNS = of_version(VERSION), of_version(1)
LATER_COLUMNS = tuple(name for name in COLUMNS if name not in FIRST_COLUMNS)  # those of a file in which one is used
PARAMETERS = tuple(field.name for field in FIELDS if field.of_mechanism)
PLANNING = tuple(name for name in LATER_COLUMNS if name not in PARAMETERS)  # what a release is given by name
