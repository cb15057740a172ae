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
  version: string;
  /** One request without kubectl: reads a stored object, or writes as a kubelet. Throws on a refusal. */
  rest: Rest;
  close(): Promise<void>;
}
