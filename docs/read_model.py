"""Reads the folder of a bilinear model, or of an ensemble, and answers a query with NumPy alone:

    python3 docs/read_model.py found/model Portugal borders '?'
    python3 docs/read_model.py found/model '?' borders Spain
"""
import json
import sys

import numpy as np


def describe(folder):
    with open(f"{folder}/model.json", encoding="utf-8") as file:
        return json.load(file)


def labels(folder, name):  # one a line, in the order of the rows of the table
    with open(f"{folder}/{name}.txt", encoding="utf-8", newline="\n") as file:
        return file.read().removesuffix("\n").split("\n")


def query(structure, one, r):
    """Returns the vector that scores the other end of a triple. A cell c in row i and column j
    joins chunk i of one end and chunk j of the other by chunk |c| of the relation, with its sign."""
    one, r = one.reshape(len(structure), -1), r.reshape(len(structure), -1)
    q = np.zeros_like(one)
    for i, row in enumerate(structure):
        for j, c in enumerate(row):
            if c:
                q[j] += np.sign(c) * one[i] * r[abs(c) - 1]
    return q.ravel()


def scores(folder, head, relation, tail):
    """Returns the scores of all entities, in the order of entities.txt."""
    about = describe(folder)
    if about.get("task") == "classify":
        sys.exit(f"{folder}: the model classifies nodes, which this program does not do")
    if about.get("form", "bilinear") != "bilinear":
        sys.exit(f"{folder}: the model is {about['form']}, which this program does not read")
    structure = np.array([[int(c) for c in row.split(",")] for row in about["structure"].split(";")])
    entities, relations = labels(folder, "entities"), labels(folder, "relations")
    E = np.load(f"{folder}/entities.npy").astype(float)
    R = np.load(f"{folder}/relations.npy").astype(float)
    r = relations.index(relation)
    if tail == "?":
        return E @ query(structure, E[entities.index(head)], R[r])
    if about.get("reciprocal"):  # the second half of the table: (tail, reverse of relation, ?)
        return E @ query(structure, E[entities.index(tail)], R[len(relations) + r])
    return E @ query(structure.T, E[entities.index(tail)], R[r])


folder, *asked = sys.argv[1:]
about = describe(folder)
members = [f"{folder}/{name}" for name in about.get("members", [])]
if members:  # an ensemble has the mean of its members' scores, with weights if it has any
    learned = about.get("weights", {"by_relation": {}, "shared": [1 / len(members)] * len(members)})
    weights = learned["by_relation"].get(asked[1], learned["shared"])
    total = sum(weight * scores(member, *asked) for weight, member in zip(weights, members))
else:
    total = scores(folder, *asked)
entities = labels((members or [folder])[0], "entities")
for e in np.argsort(-total, kind="stable")[:10]:
    print(f"{total[e]:.5f}\t{entities[e]}")
