"""For plugin authors and our own tests: a model that follows a script."""

from inarch.testing.apps import scripted_app as scripted_app
from inarch.testing.scripted import ScriptedModel as ScriptedModel
from inarch.testing.scripted import Step as Step
from inarch.testing.scripted import calls as calls
from inarch.testing.scripted import says as says
