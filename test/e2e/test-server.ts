import type { Rest } from './rest.ts';

/** The server that the cases are played against. */
export interface TestServer {
  /** `the sandbox`, or the address of another. */
  name: string;
  /** What a kubeconfig for it says. */
  kubeconfig: string;
  url: string;
  /** Whether pods run there. */
  hasNodes: boolean;
  version: string;
  /** One request beside kubectl: what is stored, or what a kubelet would write. Throws on a refusal. */
  rest: Rest;
  close(): Promise<void>;
}
