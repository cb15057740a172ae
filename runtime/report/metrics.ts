import type { MetricDefinition } from './registry.ts';

const SHORT = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const LONG = [10, 30, 60, 120, 300, 600, 1_800, 3_600, 7_200, 21_600, 86_400];

/** Everything that /metrics tells. No label is the name of an object: there would be as many series as objects. */
export const metrics = {
  kruise_actions_total: {
    type: 'counter',
    help: 'Writes to pods and revisions that the server took, by what they were for.',
    labels: ['verb', 'kind'],
  },
  kruise_refusals_total: {
    type: 'counter',
    help: 'Writes to pods and revisions that the server refused, by its reason; MovedOn: the object had changed or gone.',
    labels: ['reason'],
  },
  kruise_step_duration_seconds: {
    type: 'histogram',
    help: 'How long steps of plans took, by the kind of their targets and by what they do; of those that began and ended under this process.',
    labels: ['group', 'kind', 'step'],
    buckets: LONG,
  },
  kruise_plans: {
    type: 'gauge',
    help: 'Accepted plans in force, by the kind of their targets and by phase.',
    labels: ['group', 'kind', 'phase'],
  },
  kruise_held_targets: {
    type: 'gauge',
    help: 'Targets that are not where their manifest says, by kind and by the reason they show.',
    labels: ['group', 'kind', 'reason'],
  },
  kruise_held_seconds: {
    type: 'gauge',
    help: 'How long the longest of those targets has been held, by kind and reason.',
    labels: ['group', 'kind', 'reason'],
  },
  kruise_queue_depth: {
    type: 'gauge',
    help: 'Targets that are due to be looked at and wait.',
    labels: [],
  },
  kruise_queue_latency_seconds: {
    type: 'histogram',
    help: 'From the moment that a target is due until it is looked at.',
    labels: [],
    buckets: SHORT,
  },
  kruise_pass_duration_seconds: {
    type: 'histogram',
    help: 'How long a look at a target takes, its writes included.',
    labels: [],
    buckets: SHORT,
  },
  kruise_pass_errors_total: {
    type: 'counter',
    help: 'Looks that an error ended; each is repeated.',
    labels: [],
  },
  kruise_cache_objects: {
    type: 'gauge',
    help: 'Objects that are kept in memory.',
    labels: ['resource'],
  },
  kruise_cache_bytes: {
    type: 'gauge',
    help: 'Their size as JSON, reckoned from some of them.',
    labels: ['resource'],
  },
  kruise_cache_synced: {
    type: 'gauge',
    help: '1 while a resource is known as it is, 0 before that and after its watch was lost.',
    labels: ['resource'],
  },
  kruise_api_requests_total: {
    type: 'counter',
    help: 'Calls of the API server, by HTTP status; error: there was no answer.',
    labels: ['verb', 'resource', 'code'],
  },
  kruise_api_request_duration_seconds: {
    type: 'histogram',
    help: 'How long calls took, waiting for an overloaded server included; of a watch, until it was open.',
    labels: ['verb', 'resource'],
    buckets: SHORT,
  },
  kruise_api_retries_total: {
    type: 'counter',
    help: 'How often calls were sent again because the server was overloaded or credentials had expired.',
    labels: ['verb', 'resource'],
  },
  kruise_leader: {
    type: 'gauge',
    help: '1 while this process leads and may write, 0 otherwise.',
    labels: [],
  },
  kruise_leader_changes_total: {
    type: 'counter',
    help: 'How often this process began or ceased to lead.',
    labels: ['to'],
  },
  kruise_build_info: {
    type: 'gauge',
    help: 'Always 1; the version of the program.',
    labels: ['version'],
  },
  process_cpu_seconds_total: {
    type: 'counter',
    help: 'Processor time used, user and system.',
    labels: [],
  },
  process_resident_memory_bytes: {
    type: 'gauge',
    help: 'Memory that is resident.',
    labels: [],
  },
  process_start_time_seconds: {
    type: 'gauge',
    help: 'When the process began, seconds since 1970.',
    labels: [],
  },
  nodejs_eventloop_lag_max_seconds: {
    type: 'gauge',
    help: 'The longest that the event loop was late since the last time this was asked.',
    labels: [],
  },
} as const satisfies Readonly<Record<string, MetricDefinition>>;

export type MetricName = keyof typeof metrics;
