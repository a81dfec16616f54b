package record

import "testing"

func TestHidePaths(t *testing.T) {
	for text, want := range map[string]string{
		"./bench --data data --out out/x.json":           "./bench --data data --out out/x.json",
		"--data /home/me/data --out /tmp/a/b.json":       "--data …/data --out …/b.json",
		"--peer 'python3 /home/me/torch_blm.py'":         "--peer 'python3 …/torch_blm.py'",
		"--peer '/usr/bin/python3 /home/me/p.py --fast'": "--peer '…/python3 …/p.py --fast'",
		"xla:/opt/jax/xla_cuda_plugin.so,tf32=false":     "xla:…/xla_cuda_plugin.so,tf32=false",
		"--data=/home/me/data":                           "--data=…/data",
		"1024 GFLOP/s, 3 of 4":                           "1024 GFLOP/s, 3 of 4",
	} {
		if got := HidePaths(text); got != want {
			t.Errorf("%s became %s, want %s", text, got, want)
		}
	}
}

func TestProcessor(t *testing.T) {
	cpuinfo := "processor\t: 0\nvendor_id\t: GenuineIntel\nmodel name\t: Intel(R) Xeon(R) Platinum 8480+\nprocessor\t: 1\nmodel name\t: another\n"
	for text, want := range map[string]string{
		cpuinfo: " of Intel(R) Xeon(R) Platinum 8480+", "processor: 0\n": "", "": "",
	} {
		if got := processor(text); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
