import { define } from './definition.ts';
import { didYouMean, quoted } from './phrases.ts';
import { SPEC_BOUNDS } from '../../semantics/template/bounds.ts';

const REFUSED =
  'OpenKruise checks pod templates and metadata as the API server does, and refuses the object. ';

/** KR22xx: what the API server checks of a pod template, and of the metadata of an object, beyond the schema. */
export const podCodes = {
  KR2201: define<{ field: string; value: string | undefined; rule: string; suggestion?: string | undefined }>(
    {
      title: 'Value that Kubernetes refuses',
      severity: 'error',
      message: ({ field, value, rule }) =>
        value === undefined ? `${field}: ${rule}` : `${field} cannot be ${value}: ${rule}`,
      help: ({ suggestion }) => didYouMean(suggestion),
      about: `${REFUSED}The message names the rule of Kubernetes.`,
      remedy: 'Write a value that follows the rule.',
    },
  ),
  KR2202: define<{ field: string; value: string }>({
    title: 'Value that must be unique',
    severity: 'error',
    message: ({ field, value }) => `${field}: ${value} is used twice`,
    about: `${REFUSED}Kubernetes identifies the items of such a list by this value.`,
    remedy: 'Choose another value for one of the two.',
  }),
  KR2203: define<{ field: string; value: string }>({
    title: 'Reference to nothing',
    severity: 'error',
    message: ({ field, value }) => `${field} names ${value}, which the pod template does not have`,
    about: `${REFUSED}A reference within a pod template must name one of its own parts.`,
    remedy: 'Correct the name, or add what it refers to.',
  }),
  KR2204: define<{ field: string; rule: string }>({
    title: 'Field that Kubernetes does not allow here',
    severity: 'error',
    message: ({ field, rule }) => `${field} is not allowed: ${rule}`,
    about: `${REFUSED}The field is valid elsewhere, or together with other settings.`,
    remedy: 'Remove the field, or change the setting that excludes it.',
  }),
  KR2205: define<{ field: string; rule: string }>({
    title: 'Field that Kubernetes warns of',
    severity: 'warning',
    message: ({ field, rule }) => `${field}: ${rule}`,
    about: 'The API server accepts the pod template and warns of this field, as kubectl shows it.',
    remedy: 'Remove the field.',
  }),
  KR2206: define<{ field: string; found: string; suggestion: string | undefined }>({
    title: 'Not a quantity',
    severity: 'error',
    message: ({ field, found }) => `${field} must be a quantity, found ${found}`,
    help: ({ suggestion }) => didYouMean(suggestion),
    about:
      'A quantity is a number with an optional suffix: n, u, m, k, M, G, T, P, E, or Ki, Mi, Gi, Ti, Pi, Ei. ' +
      'Suffixes are case-sensitive, and no unit such as B or core follows. The API server refuses any other text.',
    remedy: 'Write a quantity such as 500m for CPU or 1Gi for memory.',
  }),
  KR2207: define<{ field: string; image: string; suggestion: string | undefined }>({
    title: 'Image that cannot be pulled',
    severity: 'error',
    message: ({ field, image }) => `${field} is ${quoted(image)}, which is not an image reference`,
    help: ({ suggestion }) => didYouMean(suggestion),
    about:
      'An image reference is REGISTRY/REPOSITORY:TAG@DIGEST, in which only the repository is required, in lower case. ' +
      'The API server accepts other text, but the kubelet reports InvalidImageName and never starts the container.',
    remedy: 'Correct the reference. If a tool replaces it later, plan the rendered manifests.',
  }),
  KR2208: define<{ field: string; seconds: number }>({
    title: 'Negative grace period',
    severity: 'warning',
    message: ({ field, seconds }) => `${field} is ${seconds}: pods get 1 second instead`,
    about: 'The API server replaces a negative grace period of a pod by one second.',
    remedy: 'Write the seconds that containers need to stop. The default is 30.',
  }),
  KR2225: define<{ field: string; rule: string }>({
    title: 'More than a rule reads',
    severity: 'error',
    message: ({ field, rule }) => `${field} ${rule}`,
    about:
      `A spec has at most ${SPEC_BOUNDS.characters} characters in ${SPEC_BOUNDS.values} values, and one value at most ` +
      `${SPEC_BOUNDS.text} characters, ${SPEC_BOUNDS.items} entries, and ${SPEC_BOUNDS.depth} levels. It asks for at most ` +
      `${SPEC_BOUNDS.replicas} pods. No other rule reads a spec ` +
      'beyond that. In the cluster this runtime holds such a target (InvalidTarget).',
    remedy: 'Make it smaller. A long text belongs into a ConfigMap that the pods mount.',
  }),
} as const;
