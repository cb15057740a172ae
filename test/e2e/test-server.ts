import type { Rest } from './rest.ts';

/** The server that the cases are played against. */
export interface TestServer {
  /** `the sandbox`, or the address of another. */
  name: string;
  /** The content of a kubeconfig for it. */
  kubeconfig: string;
  url: string;
  /** Whether pods run there. */
  hasNodes: boolean;
  /** Whether Deployments and other built-in workloads get pods there. */
  hasControllers: boolean;
  /** Whether MutatingAdmissionPolicies are served. */
  hasMutatingPolicies: boolean;
  version: string;
  /** One request without kubectl: reads a stored object, or writes as a kubelet. Throws on a refusal. */
  rest: Rest;
  close(): Promise<void>;
}

/** What the cases of a file need of a sandbox. */
export interface ServerNeeds {
  nodes: number;
  workloads: boolean;
  /** MutatingAdmissionPolicies, which a server does not have by default. */
  mutatingPolicies?: boolean;
}
