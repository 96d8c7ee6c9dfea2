"""The programs by name."""

from programs.datasette import Datasette
from programs.django_rest import DjangoREST
from programs.fastapi_pagination import FastAPIPagination
from programs.kinto import Kinto
from programs.redmine import Redmine
from programs.wordpress import WordPress

PROGRAMS = {
    "django": DjangoREST, "fastapi": FastAPIPagination, "datasette": Datasette, "kinto": Kinto,
    "wordpress": WordPress, "redmine": Redmine}
