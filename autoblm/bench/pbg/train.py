"""A peer of bench: trains ComplEx with PyTorch-BigGraph for some minutes, and ranks test triples.

    train.py DATASET_DIR [--minutes 5] [--dim 128] [--lr 0.1] [--batch 1000] [--batch-negatives 50]
             [--uniform-negatives 50] [--threads 2] [--sample 0] [--seed 0]

DATASET_DIR holds train.txt, valid.txt and test.txt, one head<TAB>relation<TAB>tail per line.
The operators, the comparator and the loss are those of PyTorch-BigGraph's configuration for FB15k. It has no penalties.
--sample ranks that many triples of each split; 0 ranks all.

Prints one JSON object. It has the triples per second of the epochs, and the filtered, pessimistic MRR of valid and test
over both sides, computed here in float32.
"""
import argparse
import glob
import importlib.metadata
import json
import os
import random
import tempfile
import time
from pathlib import Path

import h5py
import torch
from torchbiggraph.config import ConfigSchema
from torchbiggraph.converters.import_from_tsv import convert_input_data
from torchbiggraph.train import train_and_report_stats

SPLITS = ("train", "valid", "test")


def settings(a, folder):
    return ConfigSchema.from_dict(dict(
        entity_path=folder, edge_paths=[f"{folder}/train"], checkpoint_path=f"{folder}/model", entities={"all": {"num_partitions": 1}},
        relations=[{"name": "all", "lhs": "all", "rhs": "all", "operator": "complex_diagonal"}], dynamic_relations=True,
        dimension=a.dim, global_emb=False, comparator="dot", loss_fn="softmax", lr=a.lr, batch_size=a.batch, num_epochs=100_000,
        num_batch_negs=a.batch_negatives, num_uniform_negs=a.uniform_negatives, eval_fraction=0, workers=a.threads, verbose=0))


def train(config, minutes):
    """Trains for the minutes from the end of the first epoch on, because its processes start slowly.

    Returns the epochs of the last checkpoint, and the seconds of an epoch."""
    ends = []
    for _ in train_and_report_stats(config):
        ends.append(time.perf_counter())
        if len(ends) > 1 and ends[-1] - ends[0] >= 60 * minutes:  # a checkpoint is written before the next epoch ends
            break
    return len(ends) - 1, (ends[-1] - ends[0]) / (len(ends) - 1)


class Trained:
    """The last checkpoint: entities, and a transformation of an entity for each side of a relation."""

    def __init__(self, folder):
        version = Path(folder, "model", "checkpoint_version.txt").read_text().strip()
        with h5py.File(f"{folder}/model/embeddings_all_0.v{version}.h5") as file:
            self.entities = torch.from_numpy(file["embeddings"][...])
        with h5py.File(f"{folder}/model/model.v{version}.h5") as file:
            operators = file["model/relations/0/operator"]
            self.sides = {side: [torch.from_numpy(operators[side][part][...]) for part in ("real", "imag")] for side in ("lhs", "rhs")}

    def scores(self, ends, relations, side):
        """Returns the scores of all entities for the entities at the other end, which is the given side."""
        real, imaginary = (part[relations] for part in self.sides[side])
        a, b = self.entities[ends].chunk(2, dim=1)
        return torch.cat([a * real - b * imaginary, a * imaginary + b * real], dim=1) @ self.entities.T


def edges(folder, split):
    (path,) = glob.glob(f"{folder}/{split}/edges_0_0.h5")
    with h5py.File(path) as file:
        return torch.stack([torch.from_numpy(file[name][...]).long() for name in ("lhs", "rel", "rhs")], dim=1)


def mean_reciprocal_rank(model, triples, known, batch=256):
    total = 0.0
    for part in triples.split(batch):
        for side, given, wanted in (("lhs", 0, 2), ("rhs", 2, 0)):
            scores = model.scores(part[:, given], part[:, 1], side)
            for row, triple in zip(scores, part.tolist()):
                true = row[triple[wanted]].item()
                row[known[side][triple[given], triple[1]]] = -torch.inf
                total += 1 / (1 + int((row >= true).sum()))
    return total / (2 * len(triples))


def answers(parts):
    known = {"lhs": {}, "rhs": {}}
    for head, relation, tail in torch.cat(parts).tolist():
        known["lhs"].setdefault((head, relation), []).append(tail)
        known["rhs"].setdefault((tail, relation), []).append(head)
    return known


def main():
    p = argparse.ArgumentParser()
    p.add_argument("dataset")
    for name, kind, default in (("minutes", float, 5), ("dim", int, 128), ("lr", float, 0.1), ("batch", int, 1000), ("batch-negatives", int, 50),
                                ("uniform-negatives", int, 50), ("threads", int, 2), ("sample", int, 0), ("seed", int, 0)):
        p.add_argument("--" + name, type=kind, default=default)
    a = p.parse_args()
    torch.manual_seed(a.seed)
    with tempfile.TemporaryDirectory() as folder:
        config = settings(a, folder)
        convert_input_data(config.entities, config.relations, folder, [f"{folder}/{s}" for s in SPLITS],
                           [Path(a.dataset, s + ".txt") for s in SPLITS], lhs_col=0, rhs_col=2, rel_col=1, dynamic_relations=True)
        epochs, seconds = train(config, a.minutes)
        parts = {split: edges(folder, split) for split in SPLITS}
        model, known = Trained(folder), answers(list(parts.values()))
    result = dict(
        program="PyTorch-BigGraph " + importlib.metadata.version("torchbiggraph"), torch=torch.__version__,
        dataset=os.path.basename(os.path.normpath(a.dataset)), entities=len(model.entities), train=len(parts["train"]),
        dim=a.dim, lr=a.lr, batch=a.batch, batch_negatives=a.batch_negatives, uniform_negatives=a.uniform_negatives, threads=a.threads,
        epochs=epochs, seconds_per_epoch=seconds, triples_per_second=len(parts["train"]) / seconds)
    for split in ("valid", "test"):
        ranked = parts[split]
        if a.sample:
            ranked = ranked[random.Random(a.seed).sample(range(len(ranked)), min(a.sample, len(ranked)))]
        result[split] = dict(triples=len(ranked), mrr=mean_reciprocal_rank(model, ranked, known))
    print(json.dumps(result))


if __name__ == "__main__":
    main()
