/** How a client reaches a server. */
export interface Access {
  /** `http://127.0.0.1:40123` */
  url: string;
  token: string;
  /** The certificate of an https address, as PEM. */
  certificate?: string | undefined;
}

/** The name of cluster, user and context. */
const NAME = 'kruise-sandbox';

/**
 * A kubeconfig for a server. kubectl sends no token to a server without TLS, but it sends the credentials in the URL. Other
 * clients, and kubectl with TLS, use the token. `@kubernetes/client-node` refuses plain HTTP unless certificates are not verified.
 *
 * @param extension what an extension of the cluster says, such as who wrote the file
 */
export function kubeconfigText({ url, token, certificate }: Access, extension?: object): string {
  const server = certificate === undefined ? url.replace('://', `://kruise:${token}@`) : url;
  const trust =
    certificate === undefined
      ? 'insecure-skip-tls-verify: true'
      : `certificate-authority-data: ${Buffer.from(certificate).toString('base64')}`;
  const extended =
    extension === undefined
      ? ''
      : `\n      extensions:\n        - name: ${NAME}\n          extension: ${JSON.stringify(extension)}`;
  return `apiVersion: v1
kind: Config
current-context: ${NAME}
clusters:
  - name: ${NAME}
    cluster:
      server: ${server}
      ${trust}${extended}
contexts:
  - name: ${NAME}
    context: { cluster: ${NAME}, user: ${NAME}, namespace: default }
users:
  - name: ${NAME}
    user: { token: ${token} }
`;
}
