"""The FastAPI application in front of fastapi-pagination: one file, one table."""

import os
import sys
from datetime import datetime

import uvicorn
from fastapi import FastAPI
from fastapi_pagination import LimitOffsetPage, Page, add_pagination
from fastapi_pagination.cursor import CursorPage
from fastapi_pagination.ext.sqlalchemy import paginate
from pydantic import BaseModel
from sqlalchemy import MetaData, Table, create_engine, select

engine = create_engine(f"sqlite:///{os.environ['DATABASE']}")
articles = Table("articles", MetaData(), autoload_with=engine)
app = FastAPI()


class Article(BaseModel):
    id: int
    title: str
    score: int
    created: datetime


def read():
    """A page of the newest first, in the shape of the route's answer."""
    with engine.connect() as connection:
        return paginate(connection, select(articles).order_by(
            articles.c.created.desc(), articles.c.id.desc()))


for name, page in {"page": Page, "offset": LimitOffsetPage, "cursor": CursorPage}.items():
    app.get(f"/{name}", response_model=page[Article])(read)
add_pagination(app)
uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="warning")
