"""Writes small folders in the layouts of ogbl-biokg and ogbl-wikikg2, and what OGB's Evaluator says:

    pip install torch ogb
    python3 datasets/testdata/ogb/write.py

PyTorch 2.15.0 and ogb 1.3.6 wrote them. The layouts are those that ogb/linkproppred/dataset.py reads:
get_edge_split loads split/NAME/{train,valid,test}.pt, and pandas reads mapping/ and raw/.
"""
import gzip
import json
import os
import shutil

import numpy as np
import torch
from ogb.linkproppred import Evaluator

os.chdir(os.path.dirname(os.path.abspath(__file__)))
rng = np.random.default_rng(1)
NEGATIVES = 5
DIM = 4


def write_gz(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file, gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:
        packed.write(text.encode())


def save(folder, split, name, data, legacy):
    os.makedirs(f"{folder}/split/{split}", exist_ok=True)
    torch.save(data, f"{folder}/split/{split}/{name}.pt", _use_new_zipfile_serialization=not legacy)


def embedding(i, salt):
    """Small whole numbers, so that scores are exact and have ties."""
    return np.array([(7 * i + 3 * k * k + salt) % 5 - 2 for k in range(DIM)], dtype=np.float64)


def score(head, relation, tail):
    return (embedding(head, 0) * embedding(relation, 1) * embedding(tail, 0)).sum()


def evaluate(name, triples, heads, tails):
    """Ranks the ends of triples of global ids among their negatives, as OGB's examples do."""
    lists = {}
    for side, negatives in (("head", heads), ("tail", tails)):
        positive, negative = [], []
        for (h, r, t), others in zip(triples, negatives):
            positive.append(score(h, r, t))
            negative.append([score(o, r, t) if side == "head" else score(h, r, o) for o in others])
        result = Evaluator(name).eval(
            {"y_pred_pos": torch.tensor(positive), "y_pred_neg": torch.tensor(negative)})
        for key, values in result.items():
            lists[f"{side} {key}"] = values.double().tolist()
    return lists


def biokg(folder="biokg"):
    # The order of num-node-dict is that of OGB's global ids.
    counts = {"disease": 4, "drug": 5, "protein": 6}
    offsets = dict(zip(counts, np.cumsum([0] + list(counts.values()))[:-1]))
    ends = [("disease", "protein"), ("drug", "disease"), ("drug", "drug"), ("protein", "protein")]
    oracle = {}
    for name, n in (("train", 30), ("valid", 4), ("test", 6)):
        relation = rng.integers(0, len(ends), n)
        head_type = [ends[r][0] for r in relation]
        tail_type = [ends[r][1] for r in relation]
        draw = lambda types: np.array([rng.integers(0, counts[t]) for t in types])
        data = {"head_type": head_type, "head": draw(head_type), "relation": relation,
                "tail_type": tail_type, "tail": draw(tail_type)}
        if name != "train":
            data["head_neg"] = np.stack([draw(head_type) for _ in range(NEGATIVES)], axis=1)
            data["tail_neg"] = np.stack([draw(tail_type) for _ in range(NEGATIVES)], axis=1)
            heads = np.array([offsets[t] for t in head_type])
            tails = np.array([offsets[t] for t in tail_type])
            triples = np.stack([heads + data["head"], relation, tails + data["tail"]], axis=1)
            oracle[name] = evaluate("ogbl-biokg", triples, heads[:, None] + data["head_neg"],
                                    tails[:, None] + data["tail_neg"])
            oracle[name]["triples"] = triples.tolist()
        if name == "test":  # arrays of texts are also read
            data["head_type"], data["tail_type"] = np.array(head_type), np.array(tail_type)
        save(folder, "random", name, data, legacy=True)
    write_gz(f"{folder}/raw/num-node-dict.csv.gz",
             ",".join(counts) + "\n" + ",".join(map(str, counts.values())) + "\n")
    names = ["C0001", "C0002", "C0003", "C0001"]  # the last name repeats the first
    write_gz(f"{folder}/mapping/disease_entidx2name.csv.gz", "ent idx,ent name\n" + "".join(
        f"{i},{name}\n" for i, name in enumerate(names)))
    write_gz(f"{folder}/mapping/drug_entidx2name.csv.gz", "ent idx,ent name\n" + "".join(
        f"{i},CID{i:04}\n" for i in reversed(range(counts["drug"]))))
    write_gz(f"{folder}/mapping/relidx2relname.csv.gz", "rel idx,rel name\n" + "".join(
        f"{i},{h}-{t}\n" for i, (h, t) in enumerate(ends)))
    return oracle


def wikikg2(folder="wikikg2"):
    entities, relations = 12, 3
    oracle = {}
    for name, n in (("train", 25), ("valid", 3), ("test", 5)):
        data = {"head": rng.integers(0, entities, n), "relation": rng.integers(0, relations, n),
                "tail": rng.integers(0, entities, n)}
        if name != "train":
            data["head_neg"] = rng.integers(0, entities, (n, NEGATIVES))
            data["tail_neg"] = rng.integers(0, entities, (n, NEGATIVES))
            triples = np.stack([data["head"], data["relation"], data["tail"]], axis=1)
            oracle[name] = evaluate("ogbl-wikikg2", triples, data["head_neg"], data["tail_neg"])
            oracle[name]["triples"] = triples.tolist()
        save(folder, "time", name, data, legacy=False)
    write_gz(f"{folder}/mapping/nodeidx2entityid.csv.gz", "node idx,entity id\n" + "".join(
        f"{i},Q{100 + i}\n" for i in range(entities)))
    write_gz(f"{folder}/mapping/reltype2relid.csv.gz", "reltype,rel id\n" + "".join(
        f"{i},P{30 + i}\n" for i in range(relations)))
    return oracle


for name in ("biokg", "wikikg2"):
    shutil.rmtree(name, ignore_errors=True)
with open("evaluator.json", "w") as file:
    json.dump({"biokg": biokg(), "wikikg2": wikikg2()}, file, indent=1)
