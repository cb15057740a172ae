import { generate } from 'selfsigned';

/** A key and the certificate that vouches for it, both as PEM. */
export interface Identity {
  key: string;
  certificate: string;
}

const DAYS = 365;

/** Makes a key, and a certificate for this machine's own addresses that it signs itself. */
export async function makeIdentity(): Promise<Identity> {
  const now = Date.now();
  const { private: key, cert: certificate } = await generate(
    [{ name: 'commonName', value: 'kruise-sandbox' }],
    {
      keyType: 'ec',
      curve: 'P-256',
      algorithm: 'sha256',
      // Clients whose clock is a little behind are let in.
      notBeforeDate: new Date(now - 60_000),
      notAfterDate: new Date(now + DAYS * 24 * 3_600_000),
      extensions: [
        { name: 'basicConstraints', cA: true, critical: true },
        {
          name: 'subjectAltName',
          altNames: [
            { type: 2, value: 'localhost' },
            { type: 7, ip: '127.0.0.1' },
            { type: 7, ip: '::1' },
          ],
        },
      ],
    },
  );
  return { key, certificate };
}
