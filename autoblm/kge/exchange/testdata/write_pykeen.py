"""Writes models and scores with PyKEEN 1.11.1 for the tests: python3 testdata/write_pykeen.py."""
import json
import os
import shutil

import numpy
import torch
from pykeen.models import ComplEx, DistMult
from pykeen.triples import TriplesFactory

os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "pykeen"))
triples = numpy.array([
    ["New York", "located in", "USA"],
    ["Köln \"α\"", "located in", "a\tb"],
    ["USA", "borders", "a\tb"],
    ["a\tb", "borders", "東京"],
])
for model_class, dim in [(ComplEx, 4), (ComplEx, 3), (DistMult, 4), (DistMult, 5)]:
    for inverse in [False, True]:
        torch.manual_seed(dim)
        factory = TriplesFactory.from_labeled_triples(triples, create_inverse_triples=inverse)
        model = model_class(triples_factory=factory, embedding_dim=dim)
        name = f"{model_class.__name__.lower()}-{dim}" + ("-inverse" if inverse else "")
        shutil.rmtree(name, ignore_errors=True)
        os.makedirs(name)
        torch.save(model, f"{name}/trained_model.pkl")
        torch.save(model.state_dict(), f"{name}/state.pt")
        factory.to_path_binary(f"{name}/training_triples")
        os.remove(f"{name}/training_triples/numeric_triples.tsv.gz")
        os.remove(f"{name}/training_triples/base.pth")
        model = model.double().eval()
        scores = []
        for r, relation in factory.relation_id_to_label.items():
            for e, entity in factory.entity_id_to_label.items():
                tails = model.predict_t(torch.tensor([[e, r]]))[0].tolist()
                heads = model.predict_h(torch.tensor([[r, e]]))[0].tolist()
                labels = [factory.entity_id_to_label[i] for i in range(len(tails))]
                scores.append({"relation": relation, "entity": entity,
                               "tails": dict(zip(labels, tails)),
                               "heads": dict(zip(labels, heads))})
        with open(f"{name}/scores.json", "w") as file:
            json.dump(scores, file, ensure_ascii=False)
