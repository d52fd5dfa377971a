package main

// planted is a key that must be found nowhere afterwards.
const planted = "PLANTED-key-of-a-model-0123456789"
