package completion

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"

	"github.com/autoblm/autoblm-go/internal/atomicfile"
	"github.com/autoblm/autoblm-go/internal/inputfile"
	"github.com/autoblm/autoblm-go/internal/modelfolder"
)

// calibrationFile is the name of the calibration in the folder of its model.
const calibrationFile = "calibration.json"

// calibrationVersion changes with the meaning of the file.
const calibrationVersion = 2

// calibrationContent is the content of the file.
type calibrationContent struct {
	Version int `json:"version"`
	// Model is the SHA-256 of the model.json that it belongs to, which has the checksums of the
	// model's tables.
	Model string `json:"model_sha256"`
	*Calibration
}

// SaveCalibration writes the calibration of a predictor into the folder of its model. It returns an
// error if the folder has another model than the one that was loaded.
func SaveCalibration(p Predictor, dir string) error {
	if p.calibration() == nil {
		return errors.New("save the calibration: the predictor has none; Calibrate fits one")
	}
	return p.calibration().save(dir, p.loaded())
}

// saveAnew writes the calibration next to a model that was just saved. Without one, it removes that of
// the model before.
func (c *Calibration) saveAnew(dir string) error {
	if c != nil {
		return c.save(dir, "")
	}
	err := os.Remove(filepath.Join(dir, calibrationFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// save writes the calibration next to the model with a fingerprint, "" for any.
func (c *Calibration) save(dir, model string) error {
	file := filepath.Join(dir, modelfolder.Description)
	description, err := inputfile.Read(file)
	if err != nil {
		return fmt.Errorf("save the calibration: %w", err)
	}
	found := fingerprint(description)
	if model != "" && model != found {
		return fmt.Errorf("save the calibration: %s has changed since the model was read; "+
			"run autoblm eval again", file)
	}
	content := calibrationContent{calibrationVersion, found, c}
	text, err := json.MarshalIndent(content, "", " ")
	if err != nil {
		return fmt.Errorf("save the calibration: %w", err)
	}
	return atomicfile.Write(filepath.Join(dir, calibrationFile), append(text, '\n'))
}

// loadCalibration reads the calibration of the model with a fingerprint. It returns nil if there is
// none, or one of another model or version, such as that of a model which has been trained further.
func loadCalibration(dir string, files modelfolder.Reader, model string) (*Calibration, error) {
	text, err := files(calibrationFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	path := filepath.Join(dir, calibrationFile)
	if err != nil {
		return nil, fmt.Errorf("read the probabilities: %w", err)
	}
	c := calibrationContent{Calibration: new(Calibration)}
	if err := json.Unmarshal(text, &c); err != nil {
		return nil, fmt.Errorf("%s: %w; remove the file, and autoblm eval writes it again", path, err)
	}
	if c.Version != calibrationVersion || c.Model != model {
		return nil, nil
	}
	if err := c.check(); err != nil {
		return nil, fmt.Errorf("%s: %w; remove the file, and autoblm eval writes it again", path, err)
	}
	return c.Calibration, nil
}

func fingerprint(description []byte) string {
	sum := sha256.Sum256(description)
	return hex.EncodeToString(sum[:])
}

// check returns an error for maps that cannot be evaluated.
func (c *Calibration) check() error {
	if err := c.All.check(); err != nil {
		return err
	}
	for label, r := range c.Relations {
		for _, m := range []*ProbabilityMap{r.Tails, r.Heads} {
			if m == nil {
				continue
			}
			if err := m.check(); err != nil {
				return fmt.Errorf("relation %q: %w", label, err)
			}
		}
	}
	return nil
}

func (m ProbabilityMap) check() error {
	i := m.Isotonic
	switch {
	case (i == nil) == (m.Logistic == nil):
		return errors.New("a map needs either isotonic or logistic")
	case i != nil && (len(i.X) == 0 || len(i.X) != len(i.Y) || !sort.Float64sAreSorted(i.X)):
		return errors.New("an isotonic map needs ascending x and as many y")
	}
	return nil
}
