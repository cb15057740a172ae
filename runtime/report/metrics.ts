import type { MetricDefinition } from './registry.ts';

const SHORT = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const LONG = [10, 30, 60, 120, 300, 600, 1_800, 3_600, 7_200, 21_600, 86_400];

/** All metrics. No label is the name of an object: there would be as many series as objects. */
export const metrics = {
  kruise_actions_total: {
    type: 'counter',
    help: 'Writes to pods and revisions that the server accepted, by action.',
    labels: ['verb', 'kind'],
  },
  kruise_refusals_total: {
    type: 'counter',
    help: 'Writes to pods and revisions that the server refused, by its reason. MovedOn: the object had changed or was deleted.',
    labels: ['reason'],
  },
  kruise_step_duration_seconds: {
    type: 'histogram',
    help: 'Duration of the steps of plans, by kind of target and kind of step. Only steps that began and ended under this process.',
    labels: ['group', 'kind', 'step'],
    buckets: LONG,
  },
  kruise_plans: {
    type: 'gauge',
    help: 'Active plans, by kind of target and phase.',
    labels: ['group', 'kind', 'phase'],
  },
  kruise_held_targets: {
    type: 'gauge',
    help: 'Targets with the condition Held, by kind and reason.',
    labels: ['group', 'kind', 'reason'],
  },
  kruise_held_seconds: {
    type: 'gauge',
    help: 'Time since the longest held target became held, by kind and reason.',
    labels: ['group', 'kind', 'reason'],
  },
  kruise_missed_pods: {
    type: 'gauge',
    help: 'Pods that a target selects and that have nothing of it: no admission was asked, or they are older.',
    labels: ['group', 'kind'],
  },
  kruise_gated_seconds: {
    type: 'gauge',
    help: 'Time since the oldest pod was created that waits with a scheduling gate for its target, by kind of the target. While nobody leads there is no value.',
    labels: ['group', 'kind'],
  },
  kruise_queue_depth: {
    type: 'gauge',
    help: 'Targets that are due and wait to be reconciled.',
    labels: [],
  },
  kruise_queue_latency_seconds: {
    type: 'histogram',
    help: 'Time from when a target is due until its reconcile starts.',
    labels: [],
    buckets: SHORT,
  },
  kruise_pass_duration_seconds: {
    type: 'histogram',
    help: 'Duration of a reconcile of a target, its writes included.',
    labels: [],
    buckets: SHORT,
  },
  kruise_pass_busy_seconds: {
    type: 'histogram',
    help: 'How long a reconcile kept the thread while it decided. One that takes more than a quarter of a second is followed by a pause.',
    labels: [],
    buckets: SHORT,
  },
  kruise_pass_errors_total: {
    type: 'counter',
    help: 'Reconciles that failed; each is retried.',
    labels: [],
  },
  kruise_cache_objects: {
    type: 'gauge',
    help: 'Objects in the caches.',
    labels: ['resource'],
  },
  kruise_cache_bytes: {
    type: 'gauge',
    help: 'Size of the cached objects as JSON, estimated from a sample.',
    labels: ['resource'],
  },
  kruise_cache_synced: {
    type: 'gauge',
    help: '1 while the cache of a resource is synced, 0 before the first list and after its watch was lost.',
    labels: ['resource'],
  },
  kruise_api_requests_total: {
    type: 'counter',
    help: 'Requests to the API server, by HTTP status. error: there was no answer.',
    labels: ['verb', 'resource', 'code'],
  },
  kruise_api_request_duration_seconds: {
    type: 'histogram',
    help: 'Duration of requests, waits for an overloaded server included; of a watch, until it was open.',
    labels: ['verb', 'resource'],
    buckets: SHORT,
  },
  kruise_api_retries_total: {
    type: 'counter',
    help: 'Requests that were sent again because the server was overloaded or credentials had expired.',
    labels: ['verb', 'resource'],
  },
  kruise_webhook_attempts_total: {
    type: 'counter',
    help: 'Attempts to send the webhook, by event and outcome. gaveUp: the last one has failed, too.',
    labels: ['event', 'outcome'],
  },
  kruise_webhook_waiting: {
    type: 'gauge',
    help: 'What the webhook is still to say.',
    labels: [],
  },
  kruise_leader: {
    type: 'gauge',
    help: '1 while this process leads and may write, 0 otherwise.',
    labels: [],
  },
  kruise_leader_changes_total: {
    type: 'counter',
    help: 'How often this process became leader or standby.',
    labels: ['to'],
  },
  kruise_build_info: {
    type: 'gauge',
    help: 'Always 1; the label is the version of the program.',
    labels: ['version'],
  },
  process_cpu_seconds_total: {
    type: 'counter',
    help: 'CPU time used, user and system.',
    labels: [],
  },
  process_resident_memory_bytes: {
    type: 'gauge',
    help: 'Resident memory.',
    labels: [],
  },
  process_start_time_seconds: {
    type: 'gauge',
    help: 'When the process started, seconds since 1970.',
    labels: [],
  },
  nodejs_eventloop_lag_max_seconds: {
    type: 'gauge',
    help: 'Maximum lag of the event loop since the last scrape.',
    labels: [],
  },
} as const satisfies Readonly<Record<string, MetricDefinition>>;

export type MetricName = keyof typeof metrics;
