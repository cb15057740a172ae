import type { KubeObject } from '../../schemas/wire/object.ts';
import type { LabelSelector } from '../../schemas/pods/pod.ts';
import type { MatchResources } from './match.ts';

/** What policies of both kinds say, with defaults. */
export interface PolicySpec {
  failurePolicy?: string;
  paramKind?: { apiVersion?: string; kind?: string };
  matchConstraints?: MatchResources;
  matchConditions?: readonly { name?: string; expression?: string }[];
  variables?: readonly { name?: string; expression?: string }[];
}

/** A policy of either kind. */
export interface AnyPolicy extends KubeObject {
  spec: PolicySpec;
}

/** A `MutatingAdmissionPolicy`. */
export interface MutatingPolicy extends KubeObject {
  spec: PolicySpec & { mutations?: readonly Mutation[]; reinvocationPolicy?: string };
}

/** One change of a mutating policy. */
export interface Mutation {
  patchType?: string;
  applyConfiguration?: { expression?: string };
  jsonPatch?: { expression?: string };
}

/** A `ValidatingAdmissionPolicy`. */
export interface Policy extends KubeObject {
  spec: PolicySpec & {
    validations?: readonly Validation[];
    auditAnnotations?: readonly { key?: string; valueExpression?: string }[];
  };
}

/** One check of a policy. */
export interface Validation {
  expression?: string;
  message?: string;
  messageExpression?: string;
  reason?: string;
}

/** A binding of a policy of either kind; only those of validating ones have actions. */
export interface PolicyBinding extends KubeObject {
  spec: {
    policyName?: string;
    paramRef?: {
      name?: string;
      namespace?: string;
      selector?: LabelSelector;
      parameterNotFoundAction?: string;
    };
    matchResources?: MatchResources;
    validationActions?: readonly string[];
  };
}
