"""Reads the files of model export with the libraries of their formats, and prints each table as
JSON: [format, table, labels, numbers]. usage: read.py FOLDER."""
import csv
import json
import sys

import numpy
import pyarrow.parquet
import safetensors
from gensim.models import KeyedVectors

folder = sys.argv[1]


def show(format, table, labels, numbers):
    numbers = numpy.asarray(numbers)
    assert numbers.dtype == numpy.float32, numbers.dtype
    print(json.dumps([format, table, list(labels), numbers.tolist()]))


with safetensors.safe_open(f"{folder}/safetensors/model.safetensors", framework="numpy") as file:
    for table in file.keys():
        labels = json.loads(file.metadata()[f"{table}.labels"])
        show("safetensors", table, labels, file.get_tensor(table))
for table in ["entities", "relations"]:
    vectors = KeyedVectors.load_word2vec_format(f"{folder}/word2vec/{table}.txt")
    show("word2vec", table, vectors.index_to_key, vectors.vectors)
    parquet = pyarrow.parquet.read_table(f"{folder}/parquet/{table}.parquet").to_pydict()
    show("parquet", table, parquet["label"], numpy.array(parquet["embedding"], dtype="float32"))
    with open(f"{folder}/npy/{table}.txt") as file:
        labels = file.read().removesuffix("\n").split("\n")
    show("npy", table, labels, numpy.load(f"{folder}/npy/{table}.npy"))
    with open(f"{folder}/tsv/{table}.tsv", newline="") as file:
        rows = list(csv.reader(file, delimiter="\t"))[1:]
    show("tsv", table, [row[0] for row in rows], numpy.array([row[1:] for row in rows], dtype="float32"))
