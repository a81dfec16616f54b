package gomlx

import (
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/distributed"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// sharding says over how many devices the entities of a model are spread. The relations are on each
// device.
type sharding struct {
	devices int
	// padded is the number of entities if the shards have rows of padding, else 0. These rows have
	// embeddings of 0 and no gradient.
	padded int
}

// shardingOf spreads entities over devices, each with equally many rows.
func shardingOf(entities, devices int) sharding {
	s := sharding{devices: devices}
	if entities%devices > 0 {
		s.padded = entities
	}
	return s
}

// shard holds the part of a group's data that is on one device.
type shard struct {
	device compute.DeviceNum
	// tables are the entities [S, E/n, d] and the relations [S, R, d] first, interleaved.
	tables    []*tensors.Tensor
	operators *tensors.Tensor    // [S, mixes, K·K, K]
	scales    [2]*tensors.Tensor // of penalties in training: entities [S·E, 1], relations [S·R, 1]
}

// newShards returns shards without data: the one on a device, or several from device 0 on.
func newShards(first compute.DeviceNum, n int) []*shard {
	shards := make([]*shard, n)
	for i := range shards {
		shards[i] = &shard{device: first + compute.DeviceNum(i)}
	}
	return shards
}

func (s *shard) finalize() {
	finalize(s.tables...)
	finalize(s.operators, s.scales[0], s.scales[1])
}

// mask replaces the scores of padding in scores [S, queries, E].
func (s sharding) mask(scores *graph.Node, score float32) *graph.Node {
	if s.padded == 0 {
		return scores
	}
	g, shape := scores.Graph(), scores.Shape()
	entity := graph.Iota(g, shapes.Make(dtypes.Int32, shape.Dimensions...), 2)
	used := graph.LessThan(entity, graph.Const(g, int32(s.padded)))
	return graph.Where(used, scores, graph.BroadcastToShape(graph.Const(g, score), shape))
}

// signature describes the inputs and outputs of a program. Its first tables are those of entities
// and relations in turn.
type signature struct {
	inputs, outputs           int
	inputTables, outputTables int
}

// partition makes a program run on several devices at once, with the entities spread over them. XLA
// derives from that how to spread scores, gradients and optimizer steps.
func (s sharding) partition(exec *graph.Exec, of signature) error {
	const axis = "entities"
	mesh, err := distributed.NewDeviceMesh([]int{s.devices}, []string{axis})
	if err != nil {
		return err
	}
	everywhere := distributed.NewReplicatedShardingSpec(mesh)
	rows, err := distributed.BuildSpec(mesh).R().S(axis).R().Done()
	if err != nil {
		return err
	}
	specs := func(n, tables int) []*distributed.ShardingSpec {
		all := slices.Repeat([]*distributed.ShardingSpec{everywhere}, n)
		for i := 0; i < tables; i += 2 {
			all[i] = rows
		}
		return all
	}
	exec.AutoSharding(mesh).
		WithInputShardingSpecs(specs(of.inputs, of.inputTables)...).
		WithOutputShardingSpecs(specs(of.outputs, of.outputTables)...)
	return nil
}

// rowsOf returns which of n rows are in a shard of several.
func rowsOf(n, shard, shards int) (from, to int) {
	size := shardRows(n, shards)
	return min(n, shard*size), min(n, (shard+1)*size)
}

// shardRows returns the number of rows of a shard, with padding.
func shardRows(n, shards int) int { return (n + shards - 1) / shards }
