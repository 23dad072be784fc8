print("agonyfs")
