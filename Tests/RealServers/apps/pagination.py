"""The FastAPI application in front of fastapi-pagination: one file, one table."""

import os
import sys
from datetime import datetime

import uvicorn
from fastapi import FastAPI
from fastapi_pagination import LimitOffsetPage, Page, add_pagination
from fastapi_pagination.cursor import CursorPage
from fastapi_pagination.ext.sqlalchemy import paginate
from pydantic import BaseModel, ConfigDict
from sqlalchemy import create_engine, select
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column

engine = create_engine(f"sqlite:///{os.environ['DATABASE']}")
app = FastAPI()


class Base(DeclarativeBase):
    pass


class Article(Base):
    __tablename__ = "articles"
    id: Mapped[int] = mapped_column(primary_key=True)
    title: Mapped[str]
    score: Mapped[int]
    created: Mapped[str]


class ArticleOut(BaseModel):
    model_config = ConfigDict(from_attributes=True)
    id: int
    title: str
    score: int
    created: datetime


def read():
    """A page of the newest first, in the shape of the route's answer."""
    with Session(engine) as session:
        return paginate(
            session, select(Article).order_by(Article.created.desc(), Article.id.desc()))


for name, page in {"page": Page, "offset": LimitOffsetPage, "cursor": CursorPage}.items():
    app.get(f"/{name}", response_model=page[ArticleOut])(read)
add_pagination(app)
uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="warning")
