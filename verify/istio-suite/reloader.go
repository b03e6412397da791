// SPDX-License-Identifier: Apache-2.0
// Stands beside Prometheus in place of its configuration reloader: answers probes and does nothing else.
package main

import "net/http"

func main() {
	panic(http.ListenAndServe(":8080", http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})))
}
