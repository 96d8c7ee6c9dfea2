"""The Django application in front of Django REST framework: one file, one table."""

import os
import sys

from django.conf import settings
from django.core.management import execute_from_command_line
from django.core.wsgi import get_wsgi_application

settings.configure(
    ALLOWED_HOSTS=["*"], ROOT_URLCONF=__name__, SECRET_KEY="of a test", USE_TZ=True,
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": os.environ["DATABASE"]}},
    MIDDLEWARE=["django.middleware.common.CommonMiddleware"], INSTALLED_APPS=["rest_framework"],
    REST_FRAMEWORK={
        "DEFAULT_AUTHENTICATION_CLASSES": [], "UNAUTHENTICATED_USER": None,
        "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"]})
get_wsgi_application()

from django.db import models  # noqa: E402: models need the settings
from django.urls import path  # noqa: E402
from rest_framework import generics, pagination, serializers  # noqa: E402


class Article(models.Model):
    title, score, created = models.TextField(), models.IntegerField(), models.DateTimeField()

    class Meta:
        app_label = db_table = "articles"
        managed = False


class Serializer(serializers.ModelSerializer):
    class Meta:
        model, fields = Article, "__all__"


def listing(name, kind, order=("-created", "-id"), **attributes):
    """A path with all articles and one kind of pager."""
    return path(name, type("View", (generics.ListAPIView,), {
        "queryset": Article.objects.order_by(*order), "serializer_class": Serializer,
        "pagination_class": type("Pager", (kind,), attributes)}).as_view())


NUMBERED = pagination.PageNumberPagination
SIZED = {"page_size": 20, "page_size_query_param": "page_size", "max_page_size": 100}
urlpatterns = [
    listing("page/", NUMBERED, **SIZED),
    listing("fixed/", NUMBERED, page_size=50),
    listing("oldest/", NUMBERED, ("id",), **SIZED),
    listing("offset/", pagination.LimitOffsetPagination, default_limit=20, max_limit=100),
    listing("cursor/", pagination.CursorPagination, page_size=50, ordering="-created"),
]
execute_from_command_line(sys.argv)
