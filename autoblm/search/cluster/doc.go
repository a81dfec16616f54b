// Package cluster trains the trials of a search on several machines.
//
// The machines talk through NATS JetStream, a work queue that keeps its messages on disk. The
// coordinator is the process of the search: [Task] wraps its task and publishes each trial. A
// [Worker] takes one trial at a time, trains it and stores the result. [Server] runs NATS within
// this program; a NATS cluster of its own works as well.
//
// A trial is identified by a hash of all that its result depends on. Therefore a trial that is
// delivered twice has one result, and a coordinator that starts again finds the results of its
// trials. What happens to a trial:
//
//  1. The coordinator publishes it, unless it is queued or has a result.
//  2. A worker takes it and renews its lease while it trains. If the worker is lost, the trial is
//     delivered to another one.
//  3. The worker stores the result, and then removes the trial from the queue.
//  4. The coordinator sees the result. If it asks for the model, the worker sends that too.
package cluster
