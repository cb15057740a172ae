import type { MetricDefinition } from '../report/registry.ts';

/** All metrics of the admission. */
export const admissionMetrics = {
  kruise_admission_certificate_expiry_seconds: {
    type: 'gauge',
    help: 'Time until the certificate of reviews expires; negative: since it has.',
    labels: [],
  },
  kruise_admission_reviews_total: {
    type: 'counter',
    help: 'Reviews of new pods by their result: unchanged, injected (sidecars or the order of containers), or refused.',
    labels: ['result'],
  },
  kruise_admission_withheld_total: {
    type: 'counter',
    help: 'Objects that select a new pod and give it nothing, by reason: Unplanned (no plan that states the selection has ended), or NotRecorded (nothing of the object is on record, and it needs a plan). The log names them.',
    labels: ['reason'],
  },
  kruise_admission_disruptions_total: {
    type: 'counter',
    help: 'Reviews of changes and removals of pods, by the kind that limits them and by their result: allowed, recorded (allowed, and on record in the status), refused, or unreviewed (no rule was asked, for the reason in the last label, such as Terminating).',
    labels: ['kind', 'result', 'reason'],
  },
  kruise_admission_unreviewed_total: {
    type: 'counter',
    help: 'Requests without a review, by reason: unready (before the caches are complete), memory (too many under way), large (more than 3 MiB), malformed (no review), timeout, closed (before the answer), tls (no handshake, such as by another authority), client (no certificate that --client-ca trusts), unrecorded (the object that limits it could not be judged or written), off (a review that this process has no option for).',
    labels: ['reason'],
  },
  kruise_admission_objects_left_out: {
    type: 'gauge',
    help: 'Objects that no rule may read, such as those with more than any rule reads, so that no pod gets anything of them and none is limited by them. The log names them.',
    labels: [],
  },
} as const satisfies Record<string, MetricDefinition>;

export type AdmissionMetric = keyof typeof admissionMetrics;
