"""For plugin authors and our own tests: a model that follows a script, and a server that does."""

from inarch.testing.apps import scripted_app as scripted_app
from inarch.testing.http_server import HttpReply as HttpReply
from inarch.testing.http_server import HttpRequest as HttpRequest
from inarch.testing.http_server import HttpServer as HttpServer
from inarch.testing.http_server import json_reply as json_reply
from inarch.testing.http_server import sse_reply as sse_reply
from inarch.testing.scripted import ScriptedModel as ScriptedModel
from inarch.testing.scripted import Step as Step
from inarch.testing.scripted import calls as calls
from inarch.testing.scripted import says as says
