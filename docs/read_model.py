"""Reads the folder of a bilinear model and answers a query, with numpy alone:

    python3 docs/read_model.py found/model Portugal borders '?'
    python3 docs/read_model.py found/model '?' borders Spain
"""
import json
import sys

import numpy as np

folder, head, relation, tail = sys.argv[1:]
with open(f"{folder}/model.json", encoding="utf-8") as file:
    about = json.load(file)
if about.get("form", "bilinear") != "bilinear":
    sys.exit(f"the model is {about['form']}, which has no structure")
structure = np.array([[int(cell) for cell in row.split(",")] for row in about["structure"].split(";")])


def labels(name):  # one a line, in the order of the rows of the table
    with open(f"{folder}/{name}.txt", encoding="utf-8", newline="\n") as file:
        return file.read().removesuffix("\n").split("\n")


entities, relations = labels("entities"), labels("relations")
E, R = np.load(f"{folder}/entities.npy").astype(float), np.load(f"{folder}/relations.npy").astype(float)


def query(structure, one, r):
    """What the other end of a triple is multiplied with: a cell c of the structure joins
    chunk i of one end and chunk j of the other by chunk |c| of the relation, with its sign."""
    one, r = one.reshape(len(structure), -1), r.reshape(len(structure), -1)
    q = np.zeros_like(one)
    for i, row in enumerate(structure):
        for j, c in enumerate(row):
            if c:
                q[j] += np.sign(c) * one[i] * r[abs(c) - 1]
    return q.ravel()


r = relations.index(relation)
if tail == "?":
    scores = E @ query(structure, E[entities.index(head)], R[r])
elif about.get("reciprocal"):  # the second half of the table are the reverses: (tail, reverse, ?)
    scores = E @ query(structure, E[entities.index(tail)], R[len(relations) + r])
else:
    scores = E @ query(structure.T, E[entities.index(tail)], R[r])
for e in np.argsort(-scores, kind="stable")[:10]:
    print(f"{scores[e]:.5f}\t{entities[e]}")
