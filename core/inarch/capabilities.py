"""What an object may offer beyond its port, and `able`, which returns it as that: Protocols for plugins that ask."""

from inarch.contract.capabilities import Converses as Converses
from inarch.contract.capabilities import ForModes as ForModes
from inarch.contract.capabilities import ForWatchers as ForWatchers
from inarch.contract.capabilities import HasAdded as HasAdded
from inarch.contract.capabilities import RunsPiped as RunsPiped
from inarch.contract.capabilities import Scans as Scans
from inarch.contract.capabilities import able as able
