"""Writes sklearn.json: weighted isotonic and logistic regression, Brier score, average precision
and area under the ROC curve of scikit-learn 1.7.2.

    python sklearn.py > sklearn.json
"""

import json
import os
import sys

sys.path = [p for p in sys.path if p != os.path.dirname(os.path.abspath(__file__))]

import numpy as np
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, brier_score_loss, roc_auc_score

random = np.random.default_rng(1)
cases = []
for n, slope in (5, 1.0), (40, 0.3), (300, 2.0):
    x = np.sort(random.normal(size=n)).round(6)
    weight = random.integers(1, 20, size=n).astype(float)
    y = (random.random(n) < 1 / (1 + np.exp(1 - slope * x))).astype(int)
    y[:2] = 0, 1
    scores = x.round(1)  # with ties
    at = np.linspace(-3, 3, 25).round(6)
    isotonic = IsotonicRegression(out_of_bounds="clip").fit(x, y, sample_weight=weight)
    logistic = LogisticRegression(C=1e6, tol=1e-12, max_iter=10000, solver="newton-cholesky")
    logistic.fit(x[:, None], y, sample_weight=weight)
    p = logistic.predict_proba(x[:, None])[:, 1]
    cases.append({
        "x": x.tolist(), "y": y.tolist(), "weight": weight.tolist(), "scores": scores.tolist(),
        "at": at.tolist(), "isotonic": isotonic.predict(at).tolist(),
        "slope": logistic.coef_[0, 0], "intercept": logistic.intercept_[0],
        "probabilities": p.tolist(), "brier": brier_score_loss(y, p),
        "average_precision": average_precision_score(y, scores), "auc": roc_auc_score(y, scores),
    })
print(json.dumps(cases))
