package eval

import "math"

// Logistic is the map 1 / (1 + exp(-(Slope·x + Intercept))).
type Logistic struct {
	Slope     float64 `json:"slope"`
	Intercept float64 `json:"intercept"`
}

// FitLogistic returns the map with the largest likelihood of y in [0, 1] at x, with weights
// (Platt's scaling). It takes Newton's steps, halved while the likelihood falls. A small penalty on
// the square of the slope keeps separable points finite.
func FitLogistic(x, y, weight []float64) Logistic {
	const steps, penalty, enough = 100, 1e-6, 1e-12
	loss := func(f Logistic) float64 {
		sum := penalty * f.Slope * f.Slope / 2
		for i := range x {
			z := f.Slope*x[i] + f.Intercept
			sum += weight[i] * (math.Max(z, 0) + math.Log1p(math.Exp(-math.Abs(z))) - y[i]*z)
		}
		return sum
	}
	f := Logistic{}
	current := loss(f)
	for range steps {
		// Gradient and Hessian; 1e-12 keeps the latter regular.
		g0, g1 := 0.0, penalty*f.Slope
		h00, h01, h11 := 1e-12, 0.0, penalty
		for i := range x {
			p := f.At(x[i])
			d, v := weight[i]*(p-y[i]), weight[i]*p*(1-p)
			g0, g1 = g0+d, g1+d*x[i]
			h00, h01, h11 = h00+v, h01+v*x[i], h11+v*x[i]*x[i]
		}
		determinant := h00*h11 - h01*h01
		step := Logistic{(h00*g1 - h01*g0) / determinant, (h11*g0 - h01*g1) / determinant}
		next, reached := f, current
		for scale := 1.0; scale > 1e-10; scale /= 2 {
			next = Logistic{f.Slope - scale*step.Slope, f.Intercept - scale*step.Intercept}
			if reached = loss(next); reached <= current {
				break
			}
		}
		if !(reached < current-enough*math.Abs(current)) {
			break
		}
		f, current = next, reached
	}
	return f
}

// At returns the value at x.
func (f Logistic) At(x float64) float64 { return 1 / (1 + math.Exp(-f.Slope*x-f.Intercept)) }
