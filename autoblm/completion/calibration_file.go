package completion

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"sort"

	"github.com/autoblm/autoblm-go/internal/atomicfile"
	"github.com/autoblm/autoblm-go/internal/inputfile"
	"github.com/autoblm/autoblm-go/internal/modelfolder"
)

// calibrationFile is the name of the calibration in the folder of its model.
const calibrationFile = "calibration.json"

// calibrationVersion changes with the meaning of the file.
const calibrationVersion = 1

// calibrationContent is the content of the file.
type calibrationContent struct {
	Version int `json:"version"`
	// Model is the SHA-256 of the model.json that it belongs to, which has the checksums of the
	// model's tables.
	Model string `json:"model"`
	*Calibration
}

// Save writes the calibration into the folder of its model.
func (c *Calibration) Save(dir string) error {
	description, err := inputfile.Read(filepath.Join(dir, modelfolder.Description))
	if err != nil {
		return fmt.Errorf("save the calibration: %w", err)
	}
	content := calibrationContent{calibrationVersion, fingerprint(description), c}
	text, err := json.MarshalIndent(content, "", " ")
	if err != nil {
		return fmt.Errorf("save the calibration: %w", err)
	}
	return atomicfile.Write(filepath.Join(dir, calibrationFile), append(text, '\n'))
}

// loadCalibration reads the calibration of a model. It returns nil if there is none, or one of
// another model or version, such as that of a model which has been trained further.
func loadCalibration(dir string, files modelfolder.Reader) (*Calibration, error) {
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
	description, err := files(modelfolder.Description)
	if err != nil || c.Version != calibrationVersion || c.Model != fingerprint(description) {
		return nil, nil // another error appears when the model is read
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
