// A controller as people write them with client-go, and objects of the built-in kinds, all sent as protobuf.
// It prints what the server made of them, without what varies between servers: `go-client NAMESPACE`. With a second
// argument it prints the bytes of the bodies, and asks no server.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

func main() {
	namespace := os.Args[1]
	if len(os.Args) > 2 {
		printBodies(namespace)
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	must("read the kubeconfig", err)
	config.ContentType = "application/vnd.kubernetes.protobuf"
	client, err := kubernetes.NewForConfig(config)
	must("make a client", err)

	storeAll(ctx, client, namespace)
	reviewAll(ctx, client, namespace)
	runController(ctx, client, namespace)
}

func must(what string, err error) {
	if err != nil {
		fmt.Printf("could not %s: %v\n", what, err)
		os.Exit(1)
	}
}
