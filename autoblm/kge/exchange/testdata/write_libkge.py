"""Writes checkpoints in the form of LibKGE, commit 6fd9be2e1294efe44948d5667e0703a50dca42b2, and the
scores of its formulas in float64 for the tests: python3 testdata/write_libkge.py.

LibKGE does not install with current versions of PyTorch, so this has its keys and its formulas."""
import json
import os
import sys
import types

import torch

os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "libkge"))
package, module = types.ModuleType("kge"), types.ModuleType("kge.config")


class Config:
    pass


Config.__module__ = "kge.config"
module.Config = Config
sys.modules.update({"kge": package, "kge.config": module})

entities = ["New York", "\"Köln\" α", "a b", "東京", "USA"]
relations = ["located in", "borders"]
with open("entity_ids.del", "w") as file:
    file.writelines(f"{i}\t{label}\n" for i, label in enumerate(entities))
with open("relation_ids.del", "w") as file:
    file.writelines(f"{i}\t{label}\n" for i, label in enumerate(relations))


def complex_score(s, p, o):  # kge/model/complex.py, score_emb with combine "spo"
    p_re, p_im = p.chunk(2)
    o_re, o_im = o.chunk(2)
    s_all = torch.cat((s, s))
    r_all = torch.cat((p_re, p, -p_im))
    o_all = torch.cat((o, o_im, o_re))
    return (s_all * o_all * r_all).sum().item()


def distmult_score(s, p, o):  # kge/model/distmult.py
    return (s * p * o).sum().item()


formulas = {"complex": complex_score, "distmult": distmult_score}
for name, dim, reciprocal, old, packaged in [
    ("complex", 8, False, False, True), ("complex", 6, True, True, False),
    ("distmult", 4, True, False, True), ("distmult", 4, False, True, False),
]:
    torch.manual_seed(dim)
    e = torch.randn(len(entities), dim)
    r = torch.randn(len(relations) * (2 if reciprocal else 1), dim)
    embeddings = ".embeddings" if old else "._embeddings"
    state = {}
    for prefix in (["_base_model.", ""] if reciprocal else [""]):
        state[f"{prefix}_entity_embedder{embeddings}.weight"] = e
        state[f"{prefix}_relation_embedder{embeddings}.weight"] = r
    config = Config()
    config.folder, config.log_folder = "folder", None
    config.options = {"model": name}
    if reciprocal:
        config.options = {
            "model": "reciprocal_relations_model",
            "reciprocal_relations_model": {"base_model": {"type": name}},
        }
    data = {"num_entities": len(entities), "num_relations": len(relations)}
    if packaged:
        data["meta"] = {"entity_ids": entities, "relation_ids": relations}
    checkpoint = {
        "type": "train", "epoch": 1, "valid_trace": [], "job_id": "x",
        "model": (state, {}), "dataset": data, "config": config, "folder": "folder",
    }
    file = f"{name}-{dim}" + ("-reciprocal" if reciprocal else "") + ("-old" if old else "")
    torch.save(checkpoint, f"{file}.pt", _use_new_zipfile_serialization=not old)
    e, r, score, scores = e.double(), r.double(), formulas[name], []
    for i, relation in enumerate(relations):
        for j, entity in enumerate(entities):
            if reciprocal:  # kge/model/reciprocal_relations_model.py, score_po
                heads = [score(e[j], r[i + len(relations)], o) for o in e]
            else:
                heads = [score(s, r[i], e[j]) for s in e]
            tails = [score(e[j], r[i], o) for o in e]
            scores.append({"relation": relation, "entity": entity,
                           "tails": dict(zip(entities, tails)),
                           "heads": dict(zip(entities, heads))})
    with open(f"{file}.json", "w") as out:
        json.dump(scores, out, ensure_ascii=False)
