"""A peer of bench: trains and ranks with the loops and the evaluator of PyKEEN.

    train.py DATASET_DIR [--loop 1vsall | kvsall | slcwa] [--structure complex | distmult | rotate] [--dim 64]
             [--batch 512] [--epochs 3] [--lr 0.2] [--negatives 128] [--threads 2] [--max-steps 0] [--eval]
             [--sub-batch 0] [--eval-batch 0] [--seed 0] [--minutes 0] [--sample 0]

DATASET_DIR holds train.txt, valid.txt and test.txt (or the same with .gz), one head<TAB>relation<TAB>tail per line.
1vsall uses the cross entropy over all entities for both sides of a triple (SymmetricLCWATrainingLoop).
kvsall trains on all answers to a query at once, with inverse relations (LCWATrainingLoop).
slcwa samples entities, with self-adversarial weights (SLCWATrainingLoop).
--dim is the number of real numbers per entity; PyKEEN counts pairs for complex embeddings.
The optimizer is Adagrad, without penalties.

To score heads, PyKEEN allocates one number per coordinate, query and entity. Queries are therefore split into parts
of about 2^26 such numbers, which fit into memory and are fastest. --sub-batch and --eval-batch set other sizes.

Prints one JSON object. It has the milliseconds per step of each epoch, of which the first warms up, and the number
of steps of a whole epoch (--max-steps limits an epoch). --minutes ends the training within an epoch. With --eval, it has the filtered, pessimistic validation and
test MRR over both sides, and the seconds of each ranking; --sample ranks that many triples of each split.
"""
import argparse
import functools
import gzip
import importlib.metadata
import itertools
import json
import logging
import os
import statistics
import time

import numpy
import torch
from pykeen.evaluation import RankBasedEvaluator
from pykeen.losses import CrossEntropyLoss, NSSALoss
from pykeen.models import ComplEx, DistMult, RotatE
from pykeen.training import LCWATrainingLoop, SLCWATrainingLoop, SymmetricLCWATrainingLoop
from pykeen.training.callbacks import TrainingCallback
from pykeen.triples import TriplesFactory

MODELS = {"complex": ComplEx, "distmult": DistMult, "rotate": RotatE}
LOOPS = {"1vsall": SymmetricLCWATrainingLoop, "kvsall": LCWATrainingLoop, "slcwa": SLCWATrainingLoop}
MARGINS = {"complex": 0.0, "distmult": 0.0, "rotate": 9.0}  # of the self-adversarial loss; only distances have one


def triples(folder, split):
    path = os.path.join(folder, split + ".txt")
    opened = open(path, encoding="utf-8") if os.path.exists(path) else gzip.open(path + ".gz", "rt", encoding="utf-8")
    with opened as lines:
        return numpy.array([line.rstrip("\n").split("\t") for line in lines], dtype=str)


def factories(folder, inverse):
    """Returns the splits. As in the other programs, all entities and relations have a number."""
    splits = [triples(folder, split) for split in ("train", "valid", "test")]
    rows = numpy.concatenate(splits)
    entities = {name: i for i, name in enumerate(dict.fromkeys(rows[:, [0, 2]].ravel().tolist()))}
    relations = {name: i for i, name in enumerate(dict.fromkeys(rows[:, 1].tolist()))}
    return [
        TriplesFactory.from_labeled_triples(s, entity_to_id=entities, relation_to_id=relations, create_inverse_triples=inverse and i == 0)
        for i, s in enumerate(splits)
    ]


def model(name, dim, loss, train, seed):
    """Returns the model of the other programs: no penalty, only RotatE's constraint, small normal initial values."""
    small = functools.partial(torch.nn.init.normal_, std=0.1)
    settings = dict(triples_factory=train, loss=loss, random_seed=seed, entity_initializer=small, regularizer=None)
    if name == "distmult":
        return DistMult(embedding_dim=dim, entity_constrainer=None, relation_initializer=small, **settings)
    if dim % 2:
        raise SystemExit(f"--dim is {dim}: complex numbers need an even number")
    if name == "complex":
        return ComplEx(embedding_dim=dim // 2, relation_initializer=small, **settings)
    return RotatE(embedding_dim=dim // 2, interaction_kwargs=dict(p=1), **settings)  # sum of moduli, as published


class Cut:
    """The first batches of a loader, which shuffles in every epoch."""

    def __init__(self, loader, steps, seen):
        self.loader, self.steps, seen["steps"] = loader, min(steps or len(loader), len(loader)), len(loader)

    def __len__(self):
        return self.steps

    def __iter__(self):
        return itertools.islice(iter(self.loader), self.steps)


def cut(loop, steps, seen):
    """Returns a loop with a limit of steps per epoch. It stores the number of steps of a whole epoch in seen."""

    class Loop(loop):
        def _create_training_data_loader(self, *args, **kwargs):
            return Cut(super()._create_training_data_loader(*args, **kwargs), steps, seen)

    return Loop


class TimeIsUp(Exception):
    """The minutes of a training are over."""


class Clock(TrainingCallback):
    """Records the time of the first batch and of the end of each epoch, and ends a training with a time limit."""

    def __init__(self, minutes):
        super().__init__()
        self.times, self.minutes, self.batches = [], minutes, 0

    def pre_batch(self, **kwargs):
        if not self.times:
            self.times.append(time.perf_counter())

    def post_batch(self, **kwargs):
        self.batches += 1
        if self.minutes and time.perf_counter() - self.times[0] >= 60 * self.minutes:
            raise TimeIsUp

    def post_epoch(self, epoch, epoch_loss, **kwargs):
        self.times.append(time.perf_counter())


def part(queries, loop, entities, dim):
    """Returns the number of queries per part. With inverse relations, no heads are scored."""
    return queries if loop == "kvsall" else max(1, min(queries, 2**26 // (entities * dim)))


def rank(net, split, others, batch, sample):
    chosen = split.mapped_triples
    if sample:
        chosen = chosen[torch.randperm(len(chosen), generator=torch.Generator().manual_seed(0))[:sample]]
    evaluator = RankBasedEvaluator(filtered=True)
    start = time.perf_counter()
    results = evaluator.evaluate(
        net, chosen, batch_size=batch, use_tqdm=False,
        additional_filter_triples=[other.mapped_triples for other in [split, *others]],
    )
    seconds = time.perf_counter() - start
    metric = lambda name: float(results.get_metric(f"both.pessimistic.{name}"))
    return dict(mrr=metric("inverse_harmonic_mean_rank"), hits1=metric("hits_at_1"), hits10=metric("hits_at_10"), ties="pessimistic", seconds=seconds)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("dataset")
    p.add_argument("--loop", default="1vsall", choices=LOOPS)
    p.add_argument("--structure", default="complex", choices=MODELS)
    for name, kind, default in (("dim", int, 64), ("batch", int, 512), ("epochs", int, 3), ("lr", float, 0.2), ("negatives", int, 128),
                                ("threads", int, 0), ("max-steps", int, 0), ("sub-batch", int, 0), ("eval-batch", int, 0), ("seed", int, 0),
                                ("minutes", float, 0), ("sample", int, 0)):
        p.add_argument("--" + name, type=kind, default=default)
    p.add_argument("--members", type=int, default=1, choices=[1])
    p.add_argument("--device", default="cpu")
    p.add_argument("--eval", action="store_true")
    a = p.parse_args()
    logging.getLogger("pykeen").setLevel(logging.ERROR)
    if a.threads:
        torch.set_num_threads(a.threads)
    train, valid, test = factories(a.dataset, inverse=a.loop == "kvsall")
    loss = NSSALoss(margin=MARGINS[a.structure], adversarial_temperature=1.0) if a.loop == "slcwa" else CrossEntropyLoss()
    net = model(a.structure, a.dim, loss, train, a.seed).to(a.device)
    more = dict(negative_sampler_kwargs=dict(num_negs_per_pos=a.negatives)) if a.loop == "slcwa" else {}
    seen, clock = {}, Clock(a.minutes)
    loop = cut(LOOPS[a.loop], a.max_steps, seen)(
        model=net, triples_factory=train, optimizer="adagrad", optimizer_kwargs=dict(lr=a.lr), automatic_memory_optimization=False, **more)
    sub_batch = a.sub_batch or (part(a.batch, a.loop, train.num_entities, a.dim) if a.loop == "1vsall" else a.batch)
    losses = [None]
    try:
        losses = loop.train(triples_factory=train, num_epochs=a.epochs, batch_size=a.batch, sub_batch_size=sub_batch, use_tqdm=False, callbacks=clock, pin_memory=False)
    except TimeIsUp:
        if len(clock.times) < 2:  # time per step of an unfinished epoch
            clock.times.append(clock.times[0] + (time.perf_counter() - clock.times[0]) / clock.batches * seen["steps"])
    seconds = [after - before for before, after in itertools.pairwise(clock.times)]
    steps = min(a.max_steps or seen["steps"], seen["steps"])
    result = dict(
        dataset=os.path.basename(os.path.normpath(a.dataset)), entities=train.num_entities, relations=train.real_num_relations, train=train.num_triples,
        loop=a.loop, structure=a.structure, dim=a.dim, batch=a.batch, device=a.device, threads=torch.get_num_threads(),
        torch=torch.__version__, pykeen=importlib.metadata.version("pykeen"), numpy=numpy.__version__,
        parameters=sum(w.numel() for w in net.parameters()), steps_timed=steps, steps_per_epoch=seen["steps"],
        ms_per_step_per_member=[1e3 * s / steps for s in seconds], loss=losses[-1], batches=clock.batches,
        seconds_per_epoch_per_member=statistics.median(seconds[1:] or seconds) / steps * seen["steps"],
    )
    if a.eval:
        batch = a.eval_batch or part(512, a.loop, train.num_entities, a.dim)
        result.update(valid=rank(net, valid, [train, test], batch, a.sample), test=rank(net, test, [train, valid], batch, a.sample))
    print(json.dumps(result))


if __name__ == "__main__":
    main()
