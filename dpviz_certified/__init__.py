"""What composed mechanisms lose, enclosed by ball arithmetic: an evaluation that shares no code with the engine."""

from dpviz_certified.certify import enclose_delta, enclose_epsilon
from dpviz_certified.enclosure import Enclosure, NotCertified
from dpviz_certified.total import certified_total

__all__ = ["Enclosure", "NotCertified", "certified_total", "enclose_delta", "enclose_epsilon"]
