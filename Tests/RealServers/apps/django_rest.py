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


class ArticleSerializer(serializers.ModelSerializer):
    class Meta:
        model, fields = Article, "__all__"


def listing(kind, order, **attributes):
    """A view of all articles with one kind of pager."""
    return type("View", (generics.ListAPIView,), {
        "queryset": Article.objects.order_by(*order), "serializer_class": ArticleSerializer,
        "pagination_class": type("Pager", (kind,), attributes)}).as_view()


NUMBERED, NEWEST = pagination.PageNumberPagination, ("-created", "-id")
SIZED = {"page_size": 20, "page_size_query_param": "page_size", "max_page_size": 100}
urlpatterns = [
    path("page/", listing(NUMBERED, NEWEST, **SIZED)),
    path("fixed/", listing(NUMBERED, NEWEST, page_size=50)),
    path("oldest/", listing(NUMBERED, ("id",), **SIZED)),
    path("offset/", listing(
        pagination.LimitOffsetPagination, NEWEST, default_limit=20, max_limit=100)),
    path("cursor/", listing(
        pagination.CursorPagination, NEWEST, page_size=50, ordering="-created")),
]

if __name__ == "__main__":
    execute_from_command_line(sys.argv)
