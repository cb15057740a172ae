import { define } from './definition.ts';

/** KR217x: manifests whose pods run once on each node. */
export const runCodes = {
  KR2170: define<{ field: string; seconds: number }>({
    title: 'TTL of an object in git',
    severity: 'warning',
    message: ({ field, seconds }) =>
      `${field} deletes the object ${seconds} s after its end, and the engine that syncs git creates it again: it would run again`,
    about:
      'Git says that the object exists. With a plan the runtime applies no TTL, and remembers on which nodes the run has ' +
      'finished. Without a plan, or under OpenKruise, each deletion starts the run once more.',
    remedy: 'Remove the field. Remove the manifest when the run is over and the object should go.',
  }),
  KR2171: define<{ field: string; seconds: number }>({
    title: 'Deadline that a plan does not apply',
    severity: 'warning',
    message: ({ field, seconds }) =>
      `${field} of ${seconds} s does not apply to a run with a plan: its steps have timeouts`,
    about:
      'The deadline counts from the start of the run. Soaks, checks and approvals between the steps may take longer than the ' +
      'run itself, so a plan counts the time of each step.',
    remedy: 'Set timeout in kruise.yaml, for all batches of a rule or for one.',
  }),
  KR2172: define<{ step: string; message: string }>({
    title: 'Step that no number of times can be',
    severity: 'error',
    message: ({ message }) => message,
    about:
      'The units of a schedule are its times. There is no number of all of them that a percentage could be a part of, and none ' +
      'is updated. Only 100% has a meaning: every time from then on.',
    remedy: 'Write a count in the batches of kruise.yaml, and 100% in the last one.',
  }),
  KR2173: define<{ message: string }>({
    title: 'Waves that a schedule cannot have',
    severity: 'error',
    message: ({ message }) => `waves: ${message}`,
    about:
      'Each time of a schedule goes through the waves by itself. Nobody is there to approve, and waves that last longer than ' +
      'the time to the next one would run beside each other.',
    remedy:
      'Remove approve from the waves in kruise.yaml, shorten their soaks and checks, or set concurrencyPolicy Forbid.',
  }),
} as const;
